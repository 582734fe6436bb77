package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** What is configured must belong to something: to a bulkhead that is declared, or to a property that there is. */
public final class ConfiguredNames {

    private static final int MOST_SHOWN = 10;
    private static final String ENVIRONMENT = "EnvConfigSource";

    private final Set<String> declared;
    private final List<Pattern> possible;
    private final Findings findings;
    private final TreeMap<String, Set<String>> unknown = new TreeMap<>();

    private ConfiguredNames(Set<String> declared, List<Pattern> possible, Findings findings) {
        this.declared = declared;
        this.possible = possible;
        this.findings = findings;
    }

    /**
     * Looks for properties that nothing reads. Blank ones are how properties are unset. Those of the environment
     * are passed over: their names cannot be told for certain, and others may share them.
     *
     * @param properties all properties
     * @param definitions what the annotations declare
     * @param elsewhere what annotations declare that are not in force here, as it is written
     * @param findings takes what is wrong
     */
    public static void check(Config properties, Definitions definitions, Collection<String> elsewhere, Findings findings) {
        List<Pattern> possible = Stream.concat(
                definitions.all().stream().map(Definition::nameText).flatMap(name -> name.possible().stream()),
                elsewhere.stream().map(MemberText::pattern)).toList();
        ConfiguredNames names = new ConfiguredNames(definitions.byName().keySet(), possible, findings);
        Set<String> sorted = new TreeSet<>();
        properties.getPropertyNames().forEach(sorted::add);
        sorted.stream().filter(property -> property.startsWith(PropertyNames.PREFIX) && isMeant(property, properties))
                .forEach(names::look);
        names.unknown.forEach(names::reportName);
    }

    private static boolean isMeant(String property, Config properties) {
        ConfigValue value = properties.getConfigValue(property);
        return value.getRawValue() != null && !value.getRawValue().isBlank() && !ENVIRONMENT.equals(value.getSourceName());
    }

    private void look(String property) {
        List<String> segments = PropertyNames.segments(property, PropertyNames.PREFIX);
        if (segments.isEmpty()) {
            return;
        }
        String first = segments.get(0);
        List<String> rest = segments.subList(1, segments.size());
        if (OwnProperties.SINGLE.contains(first) || rest.isEmpty()) {
            lookAtSingle(property, first, rest);
        } else if (OwnProperties.GROUPS.containsKey(first)) {
            lookAtGroup(property, first, rest);
        } else if (isPossible(first)) {
            String member = String.join(".", rest);
            if (!OwnProperties.OF_ONE_BULKHEAD.contains(member)) {
                report(property, member, OwnProperties.OF_ONE_BULKHEAD, PropertyNames.of(first, ""));
            }
        } else {
            unknown.computeIfAbsent(name(first, rest), any -> new TreeSet<>()).add(property);
        }
    }

    private void lookAtSingle(String property, String name, List<String> rest) {
        if (OwnProperties.SINGLE.contains(name) && rest.isEmpty()) {
            return;
        }
        Set<String> known = new TreeSet<>(OwnProperties.SINGLE);
        OwnProperties.GROUPS.forEach((group, members) -> members.forEach(member -> known.add(group + "." + member)));
        report(property, property.substring(PropertyNames.PREFIX.length()), known, PropertyNames.PREFIX);
    }

    private void lookAtGroup(String property, String group, List<String> rest) {
        boolean ofOneLock = "lock".equals(group) && rest.size() > 1;
        Set<String> known = ofOneLock ? OwnProperties.OF_ONE_LOCK : OwnProperties.GROUPS.get(group);
        int members = ofOneLock ? 1 : 0;
        String member = String.join(".", rest.subList(members, rest.size()));
        if (!known.contains(member)) {
            report(property, member, known,
                    ofOneLock ? PropertyNames.ofLock(rest.get(0), "") : PropertyNames.PREFIX + group + ".");
        }
    }

    private void report(String property, String member, Set<String> known, String prefix) {
        findings.add(MessageCode.RBH028, property, "there is no such property. " + NearestNames.meant(member, known)
                .map(meant -> "Did you mean " + prefix + meant + "?")
                .orElseGet(() -> "Those that there are here: " + String.join(", ", new TreeSet<>(known))));
    }

    private boolean isPossible(String name) {
        return declared.contains(name) || possible.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    // Without quotes, a name ends at its first dot.
    private String name(String first, List<String> rest) {
        String dotted = first + "." + String.join(".", rest.subList(0, rest.size() - 1));
        return rest.size() > 1 && isPossible(dotted) ? dotted : first;
    }

    private void reportName(String name, Set<String> properties) {
        findings.add(MessageCode.RBH025, String.join(", ", properties), isPossible(name)
                ? "the name of a bulkhead that has a dot must stand in quotes: " + PropertyNames.of(name, "") + "*"
                : "no @RedisBulkhead has the name \"" + name + "\"." + hint(name)
                        + " A bulkhead that code defines by a SemaphoreSpec takes no configuration");
    }

    private String hint(String name) {
        List<String> nearest = NearestNames.to(name, declared);
        String all = nearest.isEmpty() ? " None is declared."
                : " Declared are " + String.join(", ", nearest.subList(0, Math.min(MOST_SHOWN, nearest.size())))
                        + (nearest.size() > MOST_SHOWN ? " and " + (nearest.size() - MOST_SHOWN) + " more." : ".");
        Set<String> candidates = new TreeSet<>(declared);
        candidates.addAll(OwnProperties.GROUPS.keySet());
        return NearestNames.meant(name, candidates).map(meant -> " Did you mean \"" + meant + "\"?").orElse("") + all;
    }
}
