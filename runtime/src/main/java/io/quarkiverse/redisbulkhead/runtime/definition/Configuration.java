package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/**
 * What the extension is configured with at run time, as far as it is known.
 * <p>
 * SmallRye Config fills the map of bulkheads from the names of properties. That has two gaps. Where a name is in quotes in one
 * property and not in another, it reads one spelling, whichever it meets first, and drops the values of the other: an error
 * here. And environment variables appear among the names only where their spelling happens to be that of a property. So each
 * property of each bulkhead is looked up by its name here, and the mapping is filled with what is found. Immutable.
 */
final class Configuration {

    private static final int PRIORITY = 200;
    private static final String MAPPING = PropertyNames.PREFIX.substring(0, PropertyNames.PREFIX.length() - 1);
    static final String ENVIRONMENT = "EnvConfigSource";
    private static final String NEED_QUOTES = ".\"\\[]";
    private static final String LOCKS = PropertyNames.PREFIX + KnownProperties.LOCKS + ".";

    private final Config properties;
    private final KnownProperties known;
    private final EffectiveDefinitions.ValueReader reader;
    private final ValidationErrors errors;
    private final Map<String, String> found = new HashMap<>();
    private final Map<String, String> spelling = new HashMap<>();
    private final Set<String> unknown = new HashSet<>();
    private final Set<String> forAll = new TreeSet<>();
    private final Map<String, Set<String>> ofBulkheads = new HashMap<>();
    private final RedisBulkheadRuntimeConfig values;

    /**
     * Reads the configuration.
     *
     * @param properties the configuration of the application
     * @param known the names of properties
     * @param bulkheads the names of the declared bulkheads
     * @param reader decides which values are known
     * @param errors takes values that cannot be read, and names in two spellings
     * @throws io.smallrye.config.ConfigValidationException when a value that passed the reader has the wrong type
     */
    Configuration(Config properties, KnownProperties known, Set<String> bulkheads, EffectiveDefinitions.ValueReader reader,
            ValidationErrors errors) {
        this.properties = properties;
        this.known = known;
        this.reader = reader;
        this.errors = errors;
        for (String member : known.forAll()) {
            String property = PropertyNames.PREFIX + member;
            if (read(property, property, member)) {
                forAll.add(member);
            }
        }
        readElements();
        for (String name : bulkheads) {
            Set<String> members = readNamed(PropertyNames.PREFIX, name, known.ofOneBulkhead(), "*.");
            if (!members.isEmpty()) {
                ofBulkheads.put(name, members);
            }
        }
        for (String name : lockNames()) {
            readNamed(LOCKS, name, known.ofOneLock(), KnownProperties.LOCKS + ".*.");
        }
        this.values = new SmallRyeConfigBuilder()
                .withConverter(Duration.class, PRIORITY, new DurationConverter())
                .withSources(new PropertiesConfigSource(found, "Redis Bulkhead", PRIORITY))
                // With the prefix, so that the annotation need not be read by reflection.
                .withMapping(ConfigClass.configClass(RedisBulkheadRuntimeConfig.class, MAPPING))
                .withMappingIgnore("quarkus.**")
                .build().getConfigMapping(RedisBulkheadRuntimeConfig.class, MAPPING);
    }

    /** Whether the property is set. The first spelling wins, as the second one is an error anyway. */
    private boolean read(String written, String property, String pattern) {
        ConfigValue value = properties.getConfigValue(written);
        if (!isPresent(value)) {
            return false;
        }
        if (spelling.putIfAbsent(property, written) == null) {
            if (value.getValue() != null && reader.isReadable(pattern, value, errors)) {
                found.put(written, value.getValue());
            } else {
                unknown.add(property);
            }
        }
        return true;
    }

    /** A blank value unsets a property. */
    static boolean isPresent(ConfigValue value) {
        return value.getRawValue() != null && !value.getRawValue().isBlank();
    }

    private void readElements() {
        for (String property : properties.getPropertyNames()) {
            if (property.startsWith(PropertyNames.PREFIX)) {
                Optional<String> list = known.listOf(property.substring(PropertyNames.PREFIX.length()));
                if (list.isPresent() && read(property, property, list.get())) {
                    forAll.add(list.get());
                }
            }
        }
    }

    /** Names of locks are known only from the configuration, so from the names of properties. */
    private Set<String> lockNames() {
        Set<String> names = new TreeSet<>();
        for (String property : properties.getPropertyNames()) {
            if (property.startsWith(LOCKS)) {
                List<String> segments = PropertyNames.segments(property, LOCKS);
                if (segments.size() == 2 && known.ofOneLock().contains(segments.get(1))) {
                    names.add(segments.get(0));
                }
            }
        }
        return names;
    }

    /** Which members are set. */
    private Set<String> readNamed(String prefix, String name, Set<String> members, String pattern) {
        String quoted = prefix + PropertyNames.segment(name) + ".";
        String plain = prefix + name + ".";
        boolean hasPlain = hasPlainSpelling(name) && (prefix.equals(LOCKS) || !known.isReserved(name));
        String inQuotes = null;
        String withoutQuotes = null;
        Set<String> set = new TreeSet<>();
        for (String member : members) {
            if (read(quoted + member, quoted + member, pattern + member)) {
                inQuotes = member;
                set.add(member);
            }
            if (hasPlain && read(plain + member, quoted + member, pattern + member)) {
                withoutQuotes = member;
                set.add(member);
            }
        }
        if (inQuotes != null && withoutQuotes != null) {
            // The mapping would drop the values of one spelling, and the other checks need them.
            for (String member : set) {
                String value = found.remove(plain + member);
                if (value != null) {
                    found.put(quoted + member, value);
                }
            }
            String rename = isVariable(plain + withoutQuotes)
                    ? ", or rename the variable to " + variable(quoted + withoutQuotes)
                    : isVariable(quoted + inQuotes) ? ", or rename the variable to " + variable(plain + inQuotes) : "";
            errors.add(MessageCode.RBH032, withOrigin(quoted + inQuotes) + " and " + withOrigin(plain + withoutQuotes),
                    Texts.quoted(name) + " is quoted in one place and unquoted in the other, and only one of the two "
                            + "spellings would be read. Use the same spelling everywhere" + rename);
        }
        return set;
    }

    private static boolean hasPlainSpelling(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (NEED_QUOTES.indexOf(name.charAt(i)) >= 0) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private String withOrigin(String property) {
        return property + " (" + (isVariable(property) ? "environment variable " + variable(property)
                : properties.getConfigValue(property).getSourceName()) + ")";
    }

    private boolean isVariable(String property) {
        return ENVIRONMENT.equals(properties.getConfigValue(property).getSourceName());
    }

    // Two underscores on each side of a name stand for its quotes.
    static String variable(String property) {
        return property.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    /** Refuses values with expressions that cannot be resolved. */
    void requireKnown() {
        for (String property : new TreeSet<>(unknown)) {
            errors.add(MessageCode.RBH026, written(property),
                    "the value '" + properties.getConfigValue(written(property)).getRawValue()
                            + "' refers to a property that is not set. Set it, or provide a default, as in "
                            + "${property:default}");
        }
    }

    /** The values that are known, and defaults for the others. All names of bulkheads and locks are complete. */
    RedisBulkheadRuntimeConfig values() {
        return values;
    }

    /** Which properties for all bulkheads or locks are set, without prefix, even to values that are not known. */
    Set<String> setForAll() {
        return forAll;
    }

    /**
     * Which properties of one bulkhead are set, even to values that are not known.
     *
     * @param bulkhead its name
     * @return without prefix and name; in alphabetical order
     */
    Set<String> setFor(String bulkhead) {
        return ofBulkheads.getOrDefault(bulkhead, Set.of());
    }

    /**
     * Whether a property is set, even to a value that is not known.
     *
     * @param property with the name of a bulkhead or lock in quotes
     */
    boolean isSet(String property) {
        return spelling.containsKey(property);
    }

    /**
     * Whether it is known what the application will have.
     *
     * @param property with the name of a bulkhead or lock in quotes
     * @return {@code true} also when the property is not set
     */
    boolean isKnown(String property) {
        return !unknown.contains(property);
    }

    /**
     * How a property is written.
     *
     * @param property with the name of a bulkhead or lock in quotes
     * @return as in the configuration; with quotes when it is not set
     */
    String written(String property) {
        return spelling.getOrDefault(property, property);
    }

    /** Whether any property of a bulkhead is set; false also for a name that no bulkhead can be configured by. */
    static boolean hasValues(Config properties, KnownProperties known, String bulkhead) {
        String quoted = PropertyNames.PREFIX + PropertyNames.segment(bulkhead) + ".";
        String plain = PropertyNames.PREFIX + bulkhead + ".";
        if (known.isReserved(bulkhead)) {
            return false;
        }
        boolean hasPlain = hasPlainSpelling(bulkhead);
        for (String member : known.ofOneBulkhead()) {
            if (isPresent(properties.getConfigValue(quoted + member))
                    || hasPlain && isPresent(properties.getConfigValue(plain + member))) {
                return true;
            }
        }
        return false;
    }
}
