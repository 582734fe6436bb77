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

/** Each configured property must exist, and belong to a bulkhead that is declared. */
final class ConfiguredNames {

    private static final int MOST_SHOWN = 10;
    private static final String ENVIRONMENT = "EnvConfigSource";

    private final KnownProperties known;
    private final Set<String> declared;
    private final List<Pattern> possible;
    private final ValidationErrors errors;
    private final TreeMap<String, Set<String>> unknown = new TreeMap<>();

    /**
     * Prepares the check.
     *
     * @param known the names of properties
     * @param definitions what the annotations declare
     * @param elsewhere the names, as written, in annotations that are not in force
     * @param errors takes the mistakes
     */
    ConfiguredNames(KnownProperties known, Definitions definitions, Collection<String> elsewhere, ValidationErrors errors) {
        this.known = known;
        this.declared = definitions.byName().keySet();
        this.possible = Stream.concat(
                definitions.all().stream().map(Definition::nameText).flatMap(name -> name.possible().stream()),
                elsewhere.stream().map(MemberText::pattern)).toList();
        this.errors = errors;
    }

    /**
     * Looks for properties that nothing reads. A blank value unsets a property, so it is no mistake. Environment variables are
     * left out: their names are ambiguous, and other applications may share them.
     *
     * @param properties all properties
     */
    void check(Config properties) {
        Set<String> sorted = new TreeSet<>();
        properties.getPropertyNames().forEach(sorted::add);
        sorted.stream().filter(property -> property.startsWith(PropertyNames.PREFIX) && isMeant(property, properties))
                .forEach(this::look);
        unknown.forEach(this::reportName);
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
        if (known.single().contains(first) || rest.isEmpty()) {
            lookAtSingle(property, first, rest);
        } else if (known.groups().containsKey(first)) {
            lookAtGroup(property, first, rest);
        } else if (isPossible(first)) {
            String member = String.join(".", rest);
            if (!known.ofOneBulkhead().contains(member)) {
                report(property, member, known.ofOneBulkhead(), PropertyNames.of(first, ""));
            }
        } else {
            unknown.computeIfAbsent(name(first, rest), any -> new TreeSet<>()).add(property);
        }
    }

    private void lookAtSingle(String property, String name, List<String> rest) {
        if (known.single().contains(name) && rest.isEmpty()) {
            return;
        }
        Set<String> candidates = new TreeSet<>(known.single());
        known.groups().forEach((group, members) -> members.forEach(member -> candidates.add(group + "." + member)));
        report(property, property.substring(PropertyNames.PREFIX.length()), candidates, PropertyNames.PREFIX);
    }

    private void lookAtGroup(String property, String group, List<String> rest) {
        boolean ofOneLock = "lock".equals(group) && rest.size() > 1;
        Set<String> candidates = ofOneLock ? known.ofOneLock() : known.groups().get(group);
        int members = ofOneLock ? 1 : 0;
        String member = String.join(".", rest.subList(members, rest.size()));
        if (!candidates.contains(member)) {
            report(property, member, candidates,
                    ofOneLock ? PropertyNames.ofLock(rest.get(0), "") : PropertyNames.PREFIX + group + ".");
        }
    }

    private void report(String property, String member, Set<String> candidates, String prefix) {
        errors.add(MessageCode.RBH028, property, "there is no such property. " + NearestNames.meant(member, candidates)
                .map(meant -> "Did you mean " + prefix + meant + "?")
                .orElseGet(() -> "Available: " + String.join(", ", new TreeSet<>(candidates))));
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
        errors.add(MessageCode.RBH025, String.join(", ", properties), isPossible(name)
                ? "a bulkhead name that contains a dot must be quoted: " + PropertyNames.of(name, "") + "*"
                : "no @RedisBulkhead has the name \"" + name + "\"." + hint(name)
                        + " A bulkhead that code defines with a SemaphoreSpec is not configurable");
    }

    private String hint(String name) {
        List<String> nearest = NearestNames.to(name, declared);
        String all = nearest.isEmpty() ? " None is declared."
                : " Declared: " + String.join(", ", nearest.subList(0, Math.min(MOST_SHOWN, nearest.size())))
                        + (nearest.size() > MOST_SHOWN ? " and " + (nearest.size() - MOST_SHOWN) + " more." : ".");
        Set<String> candidates = new TreeSet<>(declared);
        candidates.addAll(known.groups().keySet());
        return NearestNames.meant(name, candidates).map(meant -> " Did you mean \"" + meant + "\"?").orElse("") + all;
    }
}
