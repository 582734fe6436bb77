package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigSource;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** Each configured property must exist, and each bulkhead that one names must exist. */
final class NameChecks {

    private static final int MOST_SHOWN = 10;
    private static final String VARIABLES = Configuration.variable(PropertyNames.PREFIX);
    private static final String LOCK = Configuration.variable(KnownProperties.LOCKS + ".");
    private static final String USED_IN_CODE = " It is used if code defines a bulkhead of this name with a SemaphoreSpec";
    private static final String NOT_IN_CODE = " Nor does any class of the application use SemaphoreSpec to define bulkheads in"
            + " code";

    private final KnownProperties known;
    private final AnnotationDefinitions definitions;
    // The names, as written, in annotations that are not in force.
    private final List<String> elsewhere;
    private final Set<String> declared;
    private final DefinedInCode inCode;
    private final ValidationErrors errors;
    private final TreeMap<String, Set<String>> unknown = new TreeMap<>();
    private final Set<String> perhapsInCode = new TreeSet<>();
    private final List<String> warnings = new ArrayList<>();
    // Made when a name is configured that no annotation states.
    private List<Pattern> possible;
    private List<Pattern> namesInCode;

    /**
     * Prepares the check.
     *
     * @param known the names of properties
     * @param definitions what the annotations declare
     * @param declarations know the names that are declared elsewhere, and what code may define
     * @param errors takes the mistakes
     */
    NameChecks(KnownProperties known, AnnotationDefinitions definitions, Declarations declarations, ValidationErrors errors) {
        this.known = known;
        this.definitions = definitions;
        this.elsewhere = declarations.namesElsewhere();
        this.declared = definitions.names();
        this.inCode = declarations.inCode();
        this.errors = errors;
    }

    /**
     * Looks for properties that nothing reads. A blank value unsets a property, so it is no mistake. For environment variables
     * see {@link #checkVariables}.
     *
     * @param properties all properties
     */
    void check(Config properties) {
        Set<String> own = new TreeSet<>();
        for (String property : properties.getPropertyNames()) {
            if (property.startsWith(PropertyNames.PREFIX) && isMeant(property, properties)) {
                own.add(property);
            }
        }
        for (String property : own) {
            look(property);
        }
        for (Map.Entry<String, Set<String>> name : unknown.entrySet()) {
            reportName(name.getKey(), name.getValue());
        }
    }

    private static boolean isMeant(String property, Config properties) {
        ConfigValue value = properties.getConfigValue(property);
        return Configuration.isPresent(value) && !Configuration.ENVIRONMENT.equals(value.getSourceName());
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
            lookAtMember(property, rest);
        } else if (inCode.possible() && !isPossible(name(first, rest))) {
            if (rest.size() == 1 || isInCode(first)) {
                lookAtMember(property, rest);
            }
            perhapsInCode.add(first);
            if (!isInCode(first)) {
                unknown.computeIfAbsent(first, any -> new TreeSet<>()).add(property);
            }
        } else {
            unknown.computeIfAbsent(name(first, rest), any -> new TreeSet<>()).add(property);
        }
    }

    private void lookAtSingle(String property, String name, List<String> rest) {
        if (!known.single().contains(name) || !rest.isEmpty()) {
            report(property, property.substring(PropertyNames.PREFIX.length()), known.forAll());
        }
    }

    private void lookAtGroup(String property, String group, List<String> rest) {
        boolean ofOneLock = KnownProperties.LOCKS.equals(group) && rest.size() > 1;
        Set<String> candidates = ofOneLock ? known.ofOneLock() : known.groups().get(group);
        int members = ofOneLock ? 1 : 0;
        String member = String.join(".", rest.subList(members, rest.size()));
        if (!candidates.contains(member) && known.listOf(group + "." + member).isEmpty()) {
            report(property, member, candidates);
        }
    }

    private void lookAtMember(String property, List<String> rest) {
        String member = String.join(".", rest);
        if (!known.ofOneBulkhead().contains(member)) {
            report(property, member, known.ofOneBulkhead());
        }
    }

    // The suggestion spells the name of a bulkhead or lock as the property does: another spelling might be RBH032.
    private void report(String property, String member, Set<String> candidates) {
        errors.add(MessageCode.RBH028, property, "there is no such property. " + NearestNames.meant(member, candidates)
                .filter(any -> property.endsWith("." + member))
                .map(meant -> "Did you mean " + property.substring(0, property.length() - member.length()) + meant + "?")
                .orElseGet(() -> "Available: " + String.join(", ", new TreeSet<>(candidates))));
    }

    // Without quotes, a name ends at its first dot.
    private String name(String first, List<String> rest) {
        String dotted = first + "." + String.join(".", rest.subList(0, rest.size() - 1));
        return rest.size() > 1 && isPossible(dotted) ? dotted : first;
    }

    private void reportName(String name, Set<String> properties) {
        String location = String.join(", ", properties);
        if (isPossible(name)) {
            errors.add(MessageCode.RBH025, location,
                    "a bulkhead name that contains a dot must be quoted: " + PropertyNames.of(name, "") + "*");
        } else {
            reportUnknown(location, noBulkhead(name, known.groups().keySet()), "");
        }
    }

    /**
     * Looks for environment variables of bulkheads that do not exist. A variable may stand for several properties, so only
     * those are looked at that end like a property of a bulkhead. Not to be called at build time: the environment is that of
     * the build, not that of the application.
     *
     * @param properties has the environment among its sources
     */
    void checkVariables(Config properties) {
        Set<String> own = new TreeSet<>();
        for (ConfigSource source : properties.getConfigSources()) {
            if (Configuration.ENVIRONMENT.equals(source.getName())) {
                for (String variable : source.getPropertyNames()) {
                    if (variable.startsWith(VARIABLES) && !source.getValue(variable).isBlank()) {
                        own.add(variable);
                    }
                }
            }
        }
        if (!own.isEmpty()) {
            List<Pattern> names = namesInVariables();
            own.forEach(variable -> lookAtVariable(variable, names));
        }
    }

    private List<Pattern> namesInVariables() {
        return Stream.concat(
                Stream.concat(definitions.all().stream().map(definition -> definition.declaration().name()),
                        Stream.concat(declared.stream(), elsewhere.stream()))
                        .map(name -> MemberText.pattern(name, Configuration::variable)),
                inCode.patterns(Configuration::variable).stream()).toList();
    }

    private void lookAtVariable(String variable, List<Pattern> names) {
        String rest = variable.substring(VARIABLES.length());
        if (known.forAll().stream().map(Configuration::variable).anyMatch(rest::equals)
                || rest.startsWith(LOCK) && endsOf(rest, known.ofOneLock()).findAny().isPresent()) {
            return;
        }
        // The shortest name belongs to the longest property.
        List<String> possibleNames = endsOf(rest, known.ofOneBulkhead())
                .map(end -> rest.substring(0, rest.length() - end.length())).sorted(Comparator.comparing(String::length))
                .toList();
        if (!possibleNames.isEmpty() && possibleNames.stream().noneMatch(name -> names.stream()
                .anyMatch(pattern -> pattern.matcher(name).matches() || pattern.matcher(withoutQuotes(name)).matches()))) {
            reportVariable(variable, possibleNames.get(0));
        }
    }

    private static Stream<String> endsOf(String variable, Set<String> members) {
        return members.stream().map(member -> "_" + Configuration.variable(member))
                .filter(end -> variable.endsWith(end) && variable.length() > end.length());
    }

    private static String withoutQuotes(String name) {
        return name.length() > 2 && name.startsWith("_") && name.endsWith("_") ? name.substring(1, name.length() - 1) : name;
    }

    private void reportVariable(String variable, String name) {
        String plain = withoutQuotes(name);
        Set<String> candidates = declared.stream().map(Configuration::variable).collect(Collectors.toCollection(TreeSet::new));
        String text = plain + " in the environment variable matches no declared bulkhead."
                + NearestNames.meant(plain, candidates)
                        .map(meant -> " Did you mean " + variable.replace(plain, meant) + "?").orElse("")
                + declared(plain.toLowerCase(Locale.ROOT));
        reportUnknown(variable, text, "");
    }

    /**
     * Looks for names of bulkheads that do not exist in the value of a property. Which locks exist is known to code only.
     *
     * @param property the property
     * @param names what it lists
     */
    void checkListed(String property, Collection<String> names) {
        for (String name : new LinkedHashSet<>(names)) {
            if (!name.startsWith(LockSpec.BULKHEAD_PREFIX) && !isPossible(name) && !isInCode(name)) {
                reportUnknown(property, noBulkhead(name, Set.of()), ". For a lock of this name, write \""
                        + LockSpec.BULKHEAD_PREFIX + name + "\"");
            }
        }
    }

    private void reportUnknown(String location, String text, String hint) {
        if (inCode.possible()) {
            warnings.add(MessageCode.RBH025 + " " + location + ": " + text + USED_IN_CODE + hint + ". "
                    + MessageCode.RBH025.whereExplained());
        } else {
            errors.add(MessageCode.RBH025, location, text + NOT_IN_CODE + hint);
        }
    }

    private String noBulkhead(String name, Set<String> alsoMeant) {
        Set<String> candidates = new TreeSet<>(declared);
        candidates.addAll(alsoMeant);
        candidates.addAll(inCode.names());
        return "no @RedisBulkhead has the name \"" + name + "\"."
                + NearestNames.meant(name, candidates).map(meant -> " Did you mean \"" + meant + "\"?").orElse("")
                + declared(name);
    }

    /** The declared names, those first that are like this one. */
    private String declared(String name) {
        List<String> nearest = NearestNames.to(name, declared);
        return nearest.isEmpty() ? " None is declared."
                : " Declared: " + String.join(", ", nearest.subList(0, Math.min(MOST_SHOWN, nearest.size())))
                        + (nearest.size() > MOST_SHOWN ? " and " + (nearest.size() - MOST_SHOWN) + " more." : ".");
    }

    private boolean isPossible(String name) {
        return declared.contains(name) || matches(name, possible());
    }

    private List<Pattern> possible() {
        if (possible == null) {
            possible = Stream.concat(
                    definitions.all().stream().map(Definition::nameText).flatMap(text -> text.possible().stream()),
                    elsewhere.stream().map(MemberText::pattern)).toList();
        }
        return possible;
    }

    private boolean isInCode(String name) {
        if (namesInCode == null) {
            namesInCode = inCode.patterns(UnaryOperator.identity());
        }
        return matches(name, namesInCode);
    }

    private static boolean matches(String name, List<Pattern> patterns) {
        return patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    /** The names that are configured, not declared, and may become bulkheads that code defines. */
    Set<String> perhapsInCode() {
        return perhapsInCode;
    }

    /** What looks like a mistake, but need not be one, as code may define bulkheads by computed names. */
    List<String> warnings() {
        return warnings;
    }
}
