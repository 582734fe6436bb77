package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.eclipse.microprofile.config.Config;

/** What all annotations of the application say about each bulkhead, by one configuration. */
public final class Definitions {

    private final List<Definition> all;
    private final SortedMap<String, List<Definition>> byName = new TreeMap<>();
    private final Map<String, String> names = new LinkedHashMap<>();

    private Definitions(List<Definition> all) {
        this.all = all;
        for (Definition definition : all) {
            definition.name().ifPresent(name -> {
                byName.computeIfAbsent(name, any -> new ArrayList<>()).add(definition);
                names.put(definition.declaration().name(), name);
            });
        }
        byName.values().forEach(definitions -> definitions.sort(Comparator.comparing(Definition::place)));
    }

    /**
     * Resolves the expressions in annotations.
     *
     * @param declarations the annotations
     * @param config knows the properties, as far as anybody knows them now
     * @return the definitions, not yet checked
     */
    public static Definitions of(List<BulkheadDeclaration> declarations, Config config) {
        return new Definitions(declarations.stream().map(declaration -> new Definition(declaration, config)).toList());
    }

    List<Definition> all() {
        return all;
    }

    /**
     * The definitions by name, without those whose name is not known or not valid.
     *
     * @return in alphabetical order
     */
    public SortedMap<String, List<Definition>> byName() {
        return Collections.unmodifiableSortedMap(byName);
    }

    /**
     * The names of bulkheads by what is written in the annotations.
     *
     * @return without those that are not known or not valid
     */
    public Map<String, String> names() {
        return Collections.unmodifiableMap(names);
    }

    /**
     * Whether all annotations of a bulkhead have its name by an expression, which may become another one.
     *
     * @param name the bulkhead
     * @return false where an annotation states the name
     */
    public boolean isByExpression(String name) {
        return byName.get(name).stream().allMatch(definition -> definition.nameText().isExpression());
    }

    /**
     * The permits that the annotations state for one bulkhead.
     *
     * @param name the bulkhead
     * @return those of the first place that states them
     */
    public OptionalInt permits(String name) {
        return byName.get(name).stream().map(Definition::permits).flatMapToInt(OptionalInt::stream).findFirst();
    }

    /**
     * The weight of calls that name none: of code that takes permits of a declared bulkhead.
     *
     * @param name the bulkhead
     * @return what all places state; 1 where they differ
     */
    public int weight(String name) {
        int[] weights = byName.get(name).stream().map(Definition::weight).flatMapToInt(OptionalInt::stream).distinct()
                .toArray();
        return weights.length == 1 ? weights[0] : 1;
    }

    /**
     * The order that the annotations state for one bulkhead.
     *
     * @param name the bulkhead
     * @return whether permits go to callers in the order of their requests
     */
    public boolean fair(String name) {
        return byName.get(name).get(0).fair();
    }

    /**
     * The lease that the annotations state for one bulkhead.
     *
     * @param name the bulkhead
     * @return empty when it is not known, or not valid
     */
    public Optional<Duration> expire(String name) {
        return byName.get(name).stream().map(Definition::expire).flatMap(Optional::stream).findFirst();
    }

    /**
     * How long a call waits for a permit of one bulkhead, as the annotations say.
     *
     * @param name the bulkhead
     * @return empty when it is not known, or not valid
     */
    public Optional<Duration> maxWait(String name) {
        return byName.get(name).stream().map(Definition::maxWait).flatMap(Optional::stream).findFirst();
    }

    /**
     * Where a bulkhead is declared.
     *
     * @param name the bulkhead
     * @return the places, each once
     */
    public List<String> places(String name) {
        return byName.get(name).stream().map(Definition::place).distinct().toList();
    }

    /**
     * Looks for mistakes in what is known.
     *
     * @param permitsConfigured whether the configuration states the permits of a bulkhead
     * @param findings takes what is wrong
     */
    public void check(Predicate<String> permitsConfigured, Findings findings) {
        ValueChecks.check(this, findings);
        PlaceChecks.check(this, findings);
        NameChecks.check(this, permitsConfigured, findings);
    }

    /**
     * Refuses expressions that cannot be resolved.
     *
     * @param findings takes those that cannot
     */
    public void requireResolved(Findings findings) {
        ValueChecks.requireResolved(this, findings);
    }
}
