package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.smallrye.common.expression.Expression;
import io.smallrye.common.expression.Expression.Flag;

/** What the annotations of the application state about each bulkhead, with their expressions resolved. Immutable. */
public final class AnnotationDefinitions {

    /**
     * What one annotation states.
     *
     * @param written the annotation
     * @param name the bulkhead; null if it is not known yet, or not valid
     * @param values what it states, by member as in the configuration
     */
    public record Definition(BulkheadDeclaration written, String name, Map<String, Value> values) {

        String location() {
            return written.location();
        }

        String annotation() {
            return Texts.annotation(written.name()) + ": ";
        }

        /** The name as far as it is known. */
        String shownName() {
            return name == null ? written.name() : name;
        }
    }

    // Those with which the configuration reads its own values.
    private static final Flag[] SYNTAX = { Flag.LENIENT_SYNTAX, Flag.NO_TRIM, Flag.NO_SMART_BRACES, Flag.DOUBLE_COLON };
    private static final int MOST_SHOWN = 3;
    private static final Map<String, MessageCode> CODES = Map.of("name", MessageCode.RBH001, "permits", MessageCode.RBH002,
            "expire", MessageCode.RBH003, "max-wait", MessageCode.RBH004, "weight", MessageCode.RBH030);

    private final Config config;
    private final boolean atBuild;
    private final ValidationErrors errors;
    private final SortedMap<String, List<Definition>> byName = new TreeMap<>();
    private final Map<BulkheadDeclaration, Definition> all = new HashMap<>();

    /**
     * Resolves and checks what annotations state.
     *
     * @param declarations what the build found
     * @param config knows the properties, as far as they are known now
     * @param atBuild whether expressions may have no value yet
     * @param errors takes the mistakes
     */
    AnnotationDefinitions(Declarations declarations, Config config, boolean atBuild, ValidationErrors errors) {
        this.config = config;
        this.atBuild = atBuild;
        this.errors = errors;
        // Without lambdas and streams: each costs a fraction of a millisecond when it is first used, and this runs at each start.
        Map<String, List<Definition>> byPlace = new LinkedHashMap<>();
        for (BulkheadDeclaration written : declarations.bulkheads()) {
            Definition definition = definition(written);
            all.put(written, definition);
            add(definition, written.location() + " " + definition.shownName(), byPlace);
            if (definition.name() != null) {
                add(definition, definition.name(), byName);
            }
        }
        for (List<Definition> same : byPlace.values()) {
            checkOnce(same);
        }
        for (Map.Entry<String, List<Definition>> one : byName.entrySet()) {
            String name = one.getKey();
            checkSame(name, one.getValue());
            if (KnownProperties.isReserved(name)) {
                // Its own properties would be taken for parts of the extension's property of that name, and ignored.
                locations(name).forEach(location -> errors.add(MessageCode.RBH008, location,
                        Texts.annotation(name) + Texts.reserved(name)));
            }
        }
    }

    private static void add(Definition definition, String key, Map<String, List<Definition>> to) {
        List<Definition> same = to.getOrDefault(key, new ArrayList<>(1));
        same.add(definition);
        to.put(key, same);
    }

    private Definition definition(BulkheadDeclaration written) {
        Map<String, Value> values = new TreeMap<>();
        for (Map.Entry<String, String> stated : written.values().entrySet()) {
            values.put(stated.getKey(), new Value(written.location(), read(stated.getKey(), stated.getValue(), written)));
        }
        return new Definition(written, (String) read("name", written.name(), written), values);
    }

    private Object read(String member, String text, BulkheadDeclaration written) {
        String resolved;
        try {
            resolved = resolve(text);
        } catch (NoSuchElementException | IllegalArgumentException e) {
            if (!atBuild) {
                report(MessageCode.RBH026, written, KnownProperties.inCamelCase(member) + " refers to " + e.getMessage());
            }
            return null;
        }
        try {
            if (member.equals("name")) {
                SemaphoreSpec.named(resolved);
                return resolved;
            }
            return KnownProperties.valueOf(KnownProperties.OF_BULKHEAD, member, resolved);
        } catch (IllegalArgumentException e) {
            report(CODES.get(member), written,
                    (text.equals(resolved) ? "" : text + " is " + Texts.quoted(resolved) + ": ") + e.getMessage());
            return null;
        }
    }

    private void report(MessageCode code, BulkheadDeclaration written, String text) {
        errors.add(code, written.location(), Texts.annotation(written.name()) + ": " + text);
    }

    /** Whether a text depends on the configuration. Other dollar signs stand for themselves. */
    private static boolean isExpression(String text) {
        return text.contains("${");
    }

    private static Expression parse(String text) {
        return Expression.compile(text.replace("\\$", "$$"), SYNTAX);
    }

    /**
     * Resolves expressions as the configuration does.
     *
     * @param text what an annotation states
     * @throws NoSuchElementException when a property is not set
     */
    private String resolve(String text) {
        return !isExpression(text) ? text : parse(text).evaluate((context, target) -> {
            ConfigValue value = config.getConfigValue(context.getKey());
            if (value.getValue() != null) {
                target.append(value.getValue());
            } else if (value.getRawValue() == null && context.hasDefault()) {
                context.expandDefault(target);
            } else {
                throw new NoSuchElementException(context.getKey() + (value.getRawValue() == null
                        ? ", which is not set. Set it, or provide a default, as in ${" + context.getKey() + ":default}"
                        : ", which is set to '" + value.getRawValue()
                                + "', and that cannot be resolved. Set what it refers to"));
            }
        });
    }

    /** A name in which {@link Declarations#OPEN} stands for each expression. */
    static String open(String name) {
        return isExpression(name) ? parse(name).evaluate((context, target) -> target.append(Declarations.OPEN)) : name;
    }

    /** One method acquires at most one permit of a bulkhead. */
    private void checkOnce(List<Definition> same) {
        if (same.size() > 1) {
            Set<String> spellings = new TreeSet<>();
            same.forEach(place -> spellings.add('"' + place.written().name() + '"'));
            errors.add(MessageCode.RBH009, same.get(0).location(), Texts.annotation(same.get(0).shownName())
                    + " is present more than once" + (spellings.size() > 1 ? ", as " + String.join(" and ", spellings) : "")
                    + ", so each call would take several permits of one bulkhead. Keep one of them, or use different names");
        }
    }

    /** What several places state must be the same. Only the wait and the weight are those of a place. */
    private void checkSame(String name, List<Definition> places) {
        List<String> differing = new ArrayList<>();
        for (String member : List.of("permits", "fair", "expire")) {
            if (distinct(places, member, null).size() > 1) {
                differing.add(member);
            }
        }
        if (differing.isEmpty()) {
            return;
        }
        Map<String, String> firstPlaces = new LinkedHashMap<>();
        for (Definition place : places) {
            String stated = differing.stream().filter(place.values()::containsKey)
                    .map(member -> member + "=" + place.written().values().get(member)).collect(Collectors.joining(", "));
            if (!stated.isEmpty()) {
                firstPlaces.putIfAbsent(stated, stated + " at " + place.location() + (isExpression(place.written().name())
                        ? " (name = \"" + place.written().name() + "\")"
                        : ""));
            }
        }
        int more = firstPlaces.size() - MOST_SHOWN;
        errors.add(MessageCode.RBH007, Texts.annotation(name), "has different values: "
                + firstPlaces.values().stream().limit(MOST_SHOWN).collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "")
                + ". State each value in one place, or the same one everywhere, or use different names");
    }

    private static Set<Object> distinct(List<Definition> places, String member, Object byDefault) {
        Set<Object> distinct = new HashSet<>();
        for (Definition place : places) {
            distinct.add(Value.of(place.values(), member, byDefault));
        }
        distinct.remove(null);
        return distinct;
    }

    /**
     * What the places of one bulkhead state together. Waits and weights that differ are those of the places alone.
     *
     * @param name a declared name
     * @return by member as in the configuration
     */
    public Map<String, Value> stated(String name) {
        Map<String, Value> stated = new TreeMap<>();
        for (Definition place : of(name)) {
            for (Map.Entry<String, Value> value : place.values().entrySet()) {
                if (Value.of(stated, value.getKey(), null) == null) {
                    stated.put(value.getKey(), value.getValue());
                }
            }
        }
        if (distinct(of(name), "max-wait", null).size() > 1) {
            stated.remove("max-wait");
        }
        if (distinct(of(name), "weight", 1).size() > 1) {
            stated.remove("weight");
        }
        return stated;
    }

    /** The declared names, without those that are not known or not valid, in alphabetical order. */
    Set<String> names() {
        return byName.keySet();
    }

    /**
     * What one annotation states.
     *
     * @param written one of the annotations of the application
     * @return with its expressions resolved
     */
    public Definition at(BulkheadDeclaration written) {
        return all.get(written);
    }

    /**
     * What is stated about one bulkhead.
     *
     * @param name any name
     * @return one for each annotation, by location; none if code alone defines it
     */
    public List<Definition> of(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** Whether all annotations of a bulkhead have its name by an expression, which may become another one. */
    boolean isByExpression(String name) {
        return of(name).stream().allMatch(place -> isExpression(place.written().name()));
    }

    /**
     * Where a bulkhead is declared.
     *
     * @param name the bulkhead
     * @return the classes and methods, each once
     */
    public List<String> locations(String name) {
        Set<String> locations = new LinkedHashSet<>();
        for (Definition place : of(name)) {
            locations.add(place.location());
        }
        return List.copyOf(locations);
    }
}
