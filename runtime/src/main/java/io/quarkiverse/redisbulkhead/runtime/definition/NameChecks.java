package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigSource;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.smallrye.config.common.utils.StringUtil;

/** Each configured property must exist, and each bulkhead that one names must exist. */
final class NameChecks {

    private static final int MOST_SHOWN = 10;
    // YAML lists become properties with an index.
    private static final String ELEMENT = Texts.PREFIX + KnownProperties.LIST + "[";
    private static final String VARIABLES = "QUARKUS_REDIS_BULKHEAD_";

    private final Set<String> declared;
    // In open names, Declarations.OPEN stands for what is not known.
    private final Set<String> openNames = new TreeSet<>();
    private final DefinedInCode inCode;
    private final boolean atBuild;
    private final ValidationErrors errors;
    private final TreeMap<String, Set<String>> unknown = new TreeMap<>();
    private final Set<String> perhapsInCode = new TreeSet<>();

    /**
     * Prepares the check.
     *
     * @param definitions what the annotations declare
     * @param declarations know the names that are declared elsewhere, and what code may define
     * @param atBuild whether the environment is that of the build; warnings are for the start
     * @param errors takes the mistakes
     */
    NameChecks(AnnotationDefinitions definitions, Declarations declarations, boolean atBuild, ValidationErrors errors) {
        this.atBuild = atBuild;
        this.declared = definitions.names();
        this.inCode = declarations.inCode();
        this.errors = errors;
        for (BulkheadDeclaration written : declarations.bulkheads()) {
            openNames.add(AnnotationDefinitions.open(written.name()));
        }
        for (String name : declarations.namesElsewhere()) {
            openNames.add(AnnotationDefinitions.open(name));
        }
    }

    /**
     * Looks for properties that nothing reads. A blank value unsets a property, so it is no mistake.
     *
     * @param config all properties
     */
    void check(Config config) {
        for (String property : config.getPropertyNames()) {
            ConfigValue value = property.startsWith(Texts.PREFIX) ? config.getConfigValue(property) : null;
            if (value != null && Configuration.isSet(value) && !Configuration.ENVIRONMENT.equals(value.getSourceName())) {
                if (property.startsWith(ELEMENT)) {
                    checkListed(property, value.getValue());
                } else {
                    check(property);
                }
            }
        }
        for (Map.Entry<String, Set<String>> name : unknown.entrySet()) {
            reportUnknown(String.join(", ", name.getValue()), noBulkhead(name.getKey()), "");
        }
        for (ConfigSource source : config.getConfigSources()) {
            if (!atBuild && Configuration.ENVIRONMENT.equals(source.getName())) {
                for (String variable : new TreeSet<>(source.getPropertyNames())) {
                    if (variable.startsWith(VARIABLES) && !source.getValue(variable).isBlank()) {
                        checkVariable(variable.substring(VARIABLES.length()));
                    }
                }
            }
        }
    }

    private void check(String property) {
        if (isQuoteOpen(property)) {
            errors.add(MessageCode.RBH028, property, "there is no such property, because a quotation mark has no partner."
                    + " Close the quotes around the name, as in " + Texts.property("name", "permits"));
            return;
        }
        List<String> segments = Texts.segments(property, Texts.PREFIX);
        if (segments.isEmpty()) {
            return;
        }
        String first = segments.get(0);
        List<String> rest = segments.subList(1, segments.size());
        if (first.equals(KnownProperties.LOCKS) && rest.size() > 1) {
            checkMember(property, rest.subList(1, rest.size()), KnownProperties.OF_LOCK);
        } else if (rest.isEmpty() || KnownProperties.isReserved(first)) {
            checkMember(property, segments, KnownProperties.GLOBAL);
        } else if (isDeclared(first)) {
            checkMember(property, rest, KnownProperties.OF_BULKHEAD);
        } else {
            checkUndeclared(property, first, rest);
        }
    }

    private static boolean isQuoteOpen(String property) {
        boolean open = false;
        for (int i = 0; i < property.length(); i++) {
            if (property.charAt(i) == '\\') {
                i++;
            } else {
                open ^= property.charAt(i) == '"';
            }
        }
        return open;
    }

    // Without quotes, a name ends at its first dot.
    private void checkUndeclared(String property, String first, List<String> rest) {
        String dotted = first + "." + String.join(".", rest.subList(0, rest.size() - 1));
        if (rest.size() > 1 && isDeclared(dotted)) {
            errors.add(MessageCode.RBH025, property,
                    "a bulkhead name that contains a dot must be quoted: " + Texts.property(dotted, "") + "*");
            return;
        }
        if (inCode.possible()) {
            perhapsInCode.add(first);
            if (isInCode(first) || rest.size() == 1) {
                checkMember(property, rest, KnownProperties.OF_BULKHEAD);
            }
        }
        if (!isInCode(first)) {
            unknown.computeIfAbsent(first, any -> new TreeSet<>()).add(property);
        }
    }

    // The suggestion writes the name of a bulkhead or lock as the property does.
    private void checkMember(String property, List<String> segments, Set<String> known) {
        String member = String.join(".", segments);
        if (!known.contains(member)) {
            errors.add(MessageCode.RBH028, property, "there is no such property. " + NearestNames.meant(member, known)
                    .filter(any -> property.endsWith("." + member))
                    .map(meant -> "Did you mean " + property.substring(0, property.length() - member.length()) + meant + "?")
                    .orElseGet(() -> "Available: " + String.join(", ", known)));
        }
    }

    /**
     * Checks names of bulkheads, and of locks with their prefix. Which locks exist is known to code only.
     *
     * @param property the property that lists them
     * @param names the names, separated by commas; null if they are not known yet
     */
    void checkListed(String property, String names) {
        for (String name : StringUtil.split(names == null ? "" : names)) {
            checkName(property, name.trim());
        }
    }

    private void checkName(String property, String name) {
        try {
            if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
                LockSpec.named(name.substring(LockSpec.BULKHEAD_PREFIX.length()));
                return;
            }
            SemaphoreSpec.named(name);
        } catch (IllegalArgumentException e) {
            errors.add(MessageCode.RBH005, property, e.getMessage());
            return;
        }
        if (!isDeclared(name) && !isInCode(name)) {
            reportUnknown(property, noBulkhead(name),
                    ". For a lock of this name, write \"" + LockSpec.BULKHEAD_PREFIX + name + "\"");
        }
    }

    /** A variable may stand for several properties, so it is a mistake only if it stands for none. */
    private void checkVariable(String path) {
        Set<String> known = new TreeSet<>(Set.of(Configuration.variable(KnownProperties.LIST) + Declarations.OPEN));
        KnownProperties.GLOBAL.forEach(member -> known.add(Configuration.variable(member)));
        KnownProperties.OF_LOCK
                .forEach(member -> known.add("LOCK_" + Declarations.OPEN + "_" + Configuration.variable(member)));
        String end = "";
        for (String member : KnownProperties.OF_BULKHEAD) {
            String variable = "_" + Configuration.variable(member);
            Stream.of(declared, openNames, inCode.names()).flatMap(Collection::stream).map(Configuration::variable)
                    .forEach(name -> known.addAll(List.of(name + variable, "_" + name + "_" + variable)));
            end = path.endsWith(variable) && variable.length() > end.length() ? variable : end;
        }
        if (matchesAny(known, path)) {
            return;
        }
        known.removeIf(open -> open.indexOf(Declarations.OPEN) >= 0);
        String meant = NearestNames.meant(path, known).map(nearest -> " Did you mean " + VARIABLES + nearest + "?").orElse("");
        String name = path.substring(0, path.length() - end.length()).replaceFirst("^_(.+)_$", "$1");
        if (!end.isEmpty() && !name.isEmpty()) {
            reportUnknown(VARIABLES + path, name + " in the environment variable matches no"
                    + " declared bulkhead." + meant + declared(name), "");
        } else if (!meant.isEmpty()) {
            // Others are no mistakes: Kubernetes sets variables for each service.
            errors.warn(MessageCode.RBH028, VARIABLES + path, "it has no effect, as there is no such property." + meant);
        }
    }

    private void reportUnknown(String location, String text, String hint) {
        if (inCode.possible() && !atBuild) {
            errors.warn(MessageCode.RBH025, location,
                    text + " It is used if code defines a bulkhead of this name with a SemaphoreSpec" + hint);
        } else if (!inCode.possible()) {
            errors.add(MessageCode.RBH025, location, text
                    + " Nor does any class of the application use SemaphoreSpec to define bulkheads in code" + hint);
        }
    }

    private String noBulkhead(String name) {
        Set<String> candidates = new TreeSet<>(declared);
        KnownProperties.GLOBAL.forEach(property -> candidates.add(property.substring(0, Math.max(0, property.indexOf('.')))));
        candidates.remove("");
        candidates.addAll(inCode.names());
        return "no @RedisBulkhead has the name \"" + name + "\"."
                + NearestNames.hint(name, candidates, "\"") + declared(name);
    }

    /** The declared names, those first that are like this one. */
    private String declared(String name) {
        List<String> nearest = NearestNames.to(name, declared);
        return nearest.isEmpty() ? " None is declared."
                : " Declared: " + String.join(", ", nearest.subList(0, Math.min(MOST_SHOWN, nearest.size())))
                        + (nearest.size() > MOST_SHOWN ? " and " + (nearest.size() - MOST_SHOWN) + " more." : ".");
    }

    private boolean isDeclared(String name) {
        return declared.contains(name) || matchesAny(openNames, name);
    }

    /** Whether code seems to define a bulkhead of this name. */
    boolean isInCode(String name) {
        return matchesAny(inCode.names(), name);
    }

    private static boolean matchesAny(Collection<String> open, String name) {
        for (String each : open) {
            if (matches(each, name)) {
                return true;
            }
        }
        return false;
    }

    // Only the first and the last part are compared.
    private static boolean matches(String open, String name) {
        int first = open.indexOf(Declarations.OPEN);
        int last = open.lastIndexOf(Declarations.OPEN);
        return first < 0 ? open.equals(name)
                : name.length() >= first + open.length() - last - 1 && name.startsWith(open.substring(0, first))
                        && name.endsWith(open.substring(last + 1));
    }

    /** The names that are configured, not declared, and may become bulkheads that code defines. */
    Set<String> perhapsInCode() {
        return perhapsInCode;
    }
}
