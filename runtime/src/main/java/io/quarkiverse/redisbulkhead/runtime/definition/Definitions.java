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
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** What all annotations of the application say about each bulkhead, by one configuration. */
public final class Definitions {

    private final List<Definition> all;
    private final SortedMap<String, List<Definition>> byName = new TreeMap<>();
    private final Map<String, String> names = new LinkedHashMap<>();

    private Definitions(List<Definition> all) {
        this.all = all;
        for (Definition definition : all) {
            Optional<String> known = definition.name();
            if (known.isPresent()) {
                String name = known.get();
                if (!byName.containsKey(name)) {
                    byName.put(name, new ArrayList<>(1));
                }
                byName.get(name).add(definition);
                names.put(definition.declaration().name(), name);
            }
        }
        for (List<Definition> places : byName.values()) {
            if (places.size() > 1) {
                places.sort(Comparator.comparing(Definition::location));
            }
        }
    }

    /**
     * Resolves the expressions in annotations.
     *
     * @param declarations the annotations
     * @param config knows the properties, as far as they are known now
     * @return the definitions, not yet checked
     */
    public static Definitions of(List<BulkheadDeclaration> declarations, Config config) {
        List<Definition> definitions = new ArrayList<>(declarations.size());
        for (BulkheadDeclaration declaration : declarations) {
            definitions.add(new Definition(declaration, config));
        }
        return new Definitions(definitions);
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
     * @return those of the first place that states valid ones
     */
    public OptionalInt permits(String name) {
        for (Definition place : byName.get(name)) {
            if (place.permits().isPresent()) {
                return place.permits();
            }
        }
        return OptionalInt.empty();
    }

    /**
     * The weight of calls that name none: of code that takes permits of a declared bulkhead.
     *
     * @param name the bulkhead
     * @return what all places state; 1 where they differ
     */
    public int weight(String name) {
        OptionalInt same = OptionalInt.empty();
        for (Definition place : byName.get(name)) {
            OptionalInt weight = place.weight();
            if (weight.isPresent() && same.isPresent() && weight.getAsInt() != same.getAsInt()) {
                return 1;
            }
            same = weight.isPresent() ? weight : same;
        }
        return same.orElse(1);
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
        for (Definition place : byName.get(name)) {
            if (place.expire().isPresent()) {
                return place.expire();
            }
        }
        return Optional.empty();
    }

    /**
     * How long a call waits for a permit of one bulkhead, as the annotations say.
     *
     * @param name the bulkhead
     * @return empty when it is not known, or not valid
     */
    public Optional<Duration> maxWait(String name) {
        for (Definition place : byName.get(name)) {
            if (place.maxWait().isPresent()) {
                return place.maxWait();
            }
        }
        return Optional.empty();
    }

    /**
     * Where a bulkhead is declared.
     *
     * @param name the bulkhead
     * @return the classes and methods, each once
     */
    public List<String> locations(String name) {
        return byName.get(name).stream().map(Definition::location).distinct().toList();
    }

    /**
     * Whether an annotation depends on the configuration.
     *
     * @return {@code false} when the build has seen all there is to see
     */
    boolean haveExpressions() {
        for (Definition definition : all) {
            if (definition.declaration().hasExpression()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds the mistakes in what is known: in each value, in what one method has, and in what one name has at different places.
     *
     * @param reserved the names that no bulkhead can have
     * @param errors takes the mistakes
     */
    void check(Predicate<String> reserved, ValidationErrors errors) {
        all.forEach(definition -> checkValues(definition, errors));
        checkOncePerMethod(errors);
        byName.forEach((name, places) -> {
            checkSame(name, places, errors);
            if (reserved.test(name)) {
                // Its own properties would be taken for parts of the extension's property of that name, and ignored.
                locations(name).forEach(location -> errors.add(MessageCode.RBH008, location, Texts.annotation(name)
                        + Texts.reserved(name)));
            }
        });
    }

    /**
     * Adds the mistake that nothing states the permits of a bulkhead.
     *
     * @param name the bulkhead, whose permits are not configured
     * @param errors takes the mistake
     */
    void requirePermits(String name, ValidationErrors errors) {
        for (Definition place : byName.get(name)) {
            if (place.declaration().statesPermits()) {
                return;
            }
        }
        errors.add(MessageCode.RBH006, String.join(", ", locations(name)), Texts.annotation(name)
                + ": permits is not set. Set it in the annotation, or set " + PropertyNames.of(name, "permits"));
    }

    private static void checkValues(Definition definition, ValidationErrors errors) {
        String location = definition.location();
        String annotation = definition.annotation() + ": ";
        BulkheadDeclaration written = definition.declaration();
        check(definition.nameText(), SemaphoreSpec::named, MessageCode.RBH001, location, "@RedisBulkhead: ", errors);
        if (written.statesPermits()) {
            errors.check(MessageCode.RBH002, location, annotation,
                    () -> SemaphoreSpec.named("any").permits(written.permits()));
        }
        errors.check(MessageCode.RBH030, location, annotation, () -> SemaphoreSpec.named("any").weight(written.weight()));
        check(definition.expireText(), DurationText.EXPIRE::parse, MessageCode.RBH003, location, annotation, errors);
        check(definition.maxWaitText(), DurationText.MAX_WAIT::parse, MessageCode.RBH004, location, annotation, errors);
    }

    private static void check(MemberText member, Consumer<String> reader, MessageCode code, String location,
            String annotation, ValidationErrors errors) {
        member.text().ifPresent(text -> {
            try {
                reader.accept(text);
            } catch (IllegalArgumentException e) {
                errors.add(code, location, annotation + member.refused(e.getMessage()));
            }
        });
    }

    /** One method acquires at most one permit of a bulkhead. */
    private void checkOncePerMethod(ValidationErrors errors) {
        Map<String, List<Definition>> byLocation = all.stream()
                .collect(Collectors.groupingBy(Definition::location, LinkedHashMap::new, Collectors.toList()));
        byLocation.forEach((location, there) -> there.stream()
                .collect(Collectors.groupingBy(definition -> definition.nameText().shown(), TreeMap::new, Collectors.toList()))
                .forEach((name, same) -> {
                    if (same.size() > 1) {
                        errors.add(MessageCode.RBH009, location, Texts.annotation(name) + " is present more than once"
                                + written(same) + ", so each call would take several permits of one bulkhead."
                                + " Keep one of them, or use different names");
                    }
                }));
    }

    private static String written(List<Definition> same) {
        return same.stream().noneMatch(definition -> definition.nameText().isExpression()) ? ""
                : same.stream().map(definition -> '"' + definition.declaration().name() + '"')
                        .collect(Collectors.joining(" and ", ", as ", ""));
    }

    /** All places must state the same values, except that permits may be left out. */
    private static void checkSame(String name, List<Definition> places, ValidationErrors errors) {
        if (isMoreThanOne(places.stream().map(Definition::declaration).filter(BulkheadDeclaration::statesPermits)
                .map(BulkheadDeclaration::permits))
                || isMoreThanOne(places.stream().map(Definition::fair))
                || isMoreThanOne(places.stream().map(Definition::expire).flatMap(Optional::stream))
                || isMoreThanOne(places.stream().map(Definition::maxWait).flatMap(Optional::stream))) {
            errors.add(MessageCode.RBH007, Texts.annotation(name), "has different values: "
                    + places.stream().map(Definitions::values).distinct().collect(Collectors.joining("; "))
                    + ". Use the same values everywhere (permits may be omitted), or use different names");
        }
    }

    private static boolean isMoreThanOne(Stream<?> values) {
        return values.distinct().count() > 1;
    }

    private static String values(Definition definition) {
        BulkheadDeclaration written = definition.declaration();
        return (written.statesPermits() ? "permits=" + written.permits() + ", " : "") + "fair=" + written.fair()
                + ", expire=" + definition.expireText().shown() + ", maxWait=" + definition.maxWaitText().shown() + " at "
                + written.location() + (definition.nameText().isExpression() ? " (name = \"" + written.name() + "\")" : "");
    }

    /**
     * Refuses expressions that cannot be resolved.
     *
     * @param errors takes those
     */
    void requireResolved(ValidationErrors errors) {
        for (Definition definition : all) {
            if (!definition.declaration().hasExpression()) {
                continue;
            }
            Stream.of(definition.nameText(), definition.expireText(), definition.maxWaitText())
                    .flatMap(member -> member.unresolved().stream())
                    .forEach(reason -> errors.add(MessageCode.RBH026, definition.location(),
                            definition.annotation() + ": " + reason));
        }
    }
}
