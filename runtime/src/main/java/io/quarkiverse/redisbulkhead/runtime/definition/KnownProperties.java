package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.smallrye.config.ConfigMappings.ConfigClass;

/**
 * The names of the extension's properties. The build takes them from the configuration mappings and records them. Immutable.
 */
public final class KnownProperties {

    /** The group of the properties of locks. */
    static final String LOCKS = "lock";

    private static final String ANY = "*.";
    private static final String ANY_ELEMENT = "[*]";
    private static final Pattern INDEX = Pattern.compile("\\[\\d+]$");

    private final Set<String> ofOneBulkhead = new TreeSet<>();
    private final Set<String> ofOneLock = new TreeSet<>();
    private final Set<String> forAll = new TreeSet<>();
    private final Set<String> single = new TreeSet<>();
    private final Map<String, Set<String>> groups = new TreeMap<>();
    private final Set<String> lists = new TreeSet<>();

    /**
     * Reads the mappings. That takes reflection, so the build does it.
     *
     * @return all names, with {@code *} for the name of a bulkhead or lock
     */
    public static List<String> ofMappings() {
        List<String> properties = new ArrayList<>();
        properties.addAll(ConfigClass.configClass(RedisBulkheadBuildTimeConfig.class).getProperties().keySet());
        properties.addAll(ConfigClass.configClass(RedisBulkheadRuntimeConfig.class).getProperties().keySet());
        return properties;
    }

    /**
     * Sorts them.
     *
     * @param properties as {@link #ofMappings()} returns them
     */
    public KnownProperties(List<String> properties) {
        for (String property : properties) {
            String path = property.substring(PropertyNames.PREFIX.length());
            int dot = path.indexOf('.');
            if (path.endsWith(ANY_ELEMENT)) {
                lists.add(path.substring(0, path.length() - ANY_ELEMENT.length()));
            } else if (path.startsWith(ANY)) {
                ofOneBulkhead.add(path.substring(ANY.length()));
            } else if (path.startsWith(LOCKS + "." + ANY)) {
                ofOneLock.add(path.substring(LOCKS.length() + 1 + ANY.length()));
            } else {
                forAll.add(path);
                if (dot < 0) {
                    single.add(path);
                } else {
                    String group = path.substring(0, dot);
                    if (!groups.containsKey(group)) {
                        groups.put(group, new TreeSet<>());
                    }
                    groups.get(group).add(path.substring(dot + 1));
                }
            }
        }
    }

    /**
     * The properties of one bulkhead.
     *
     * @return without prefix and name, such as {@code max-wait}
     */
    public Set<String> ofOneBulkhead() {
        return ofOneBulkhead;
    }

    /**
     * The properties of one lock.
     *
     * @return without prefix and name, such as {@code lock-timeout}
     */
    public Set<String> ofOneLock() {
        return ofOneLock;
    }

    /** The properties that are not those of one bulkhead or lock, without prefix. */
    Set<String> forAll() {
        return forAll;
    }

    /** Those that are in no group. */
    Set<String> single() {
        return single;
    }

    /** The properties of each group, without prefix and group. */
    Map<String, Set<String>> groups() {
        return groups;
    }

    /**
     * The list that a property is an element of, as YAML files have them.
     *
     * @param property without prefix, such as {@code metrics.names[0]}
     * @return without prefix, such as {@code metrics.names}; empty for a property that is no element of a list
     */
    Optional<String> listOf(String property) {
        String list = INDEX.matcher(property).replaceFirst("");
        return !list.equals(property) && lists.contains(list) ? Optional.of(list) : Optional.empty();
    }

    /** Whether a property or a group of properties has this name, so that no bulkhead can have it. */
    boolean isReserved(String name) {
        return single.contains(name) || groups.containsKey(name);
    }
}
