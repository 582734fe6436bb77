package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** What all annotations of the application say about each bulkhead, by one configuration. */
public final class AnnotationDefinitions {

    /** What one annotation says by the configuration, checked or not. */
    public static final class Definition {

        private final BulkheadDeclaration declaration;
        private final MemberText name;
        private final MemberText expire;
        private final MemberText maxWait;
        private final Optional<Duration> lease;
        private final Optional<Duration> wait;

        Definition(BulkheadDeclaration declaration, Config config) {
            this.declaration = declaration;
            this.name = MemberText.of("name", declaration.name(), config);
            this.expire = MemberText.of("expire", declaration.expire(), config);
            this.maxWait = MemberText.of("maxWait", declaration.maxWait(), config);
            this.lease = DurationText.EXPIRE.valueOf(expire);
            this.wait = DurationText.MAX_WAIT.valueOf(maxWait);
        }

        BulkheadDeclaration declaration() {
            return declaration;
        }

        MemberText nameText() {
            return name;
        }

        MemberText expireText() {
            return expire;
        }

        MemberText maxWaitText() {
            return maxWait;
        }

        /** The name; empty when it is not known, or not valid. */
        Optional<String> name() {
            Optional<String> text = name.text();
            return text.isPresent() && isName(text.get()) ? text : Optional.empty();
        }

        private static boolean isName(String text) {
            try {
                SemaphoreSpec.named(text);
                return true;
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        /**
         * Where it is written.
         *
         * @return the class or method
         */
        public String location() {
            return declaration.location();
        }

        /**
         * The limit.
         *
         * @return empty when the annotation does not state it, or the value is not valid
         */
        public OptionalInt permits() {
            int permits = declaration.permits();
            return permits < 1 ? OptionalInt.empty() : OptionalInt.of(permits);
        }

        /**
         * How much of the limit a call takes here.
         *
         * @return empty when it is not valid
         */
        public OptionalInt weight() {
            int weight = declaration.weight();
            return weight < 1 ? OptionalInt.empty() : OptionalInt.of(weight);
        }

        /**
         * The order.
         *
         * @return whether permits go to callers in the order of their requests
         */
        public boolean fair() {
            return declaration.fair();
        }

        /**
         * The lease.
         *
         * @return empty when it is not known, or not valid
         */
        public Optional<Duration> expire() {
            return lease;
        }

        /**
         * How long a call waits for a permit.
         *
         * @return empty when it is not known, or not valid
         */
        public Optional<Duration> maxWait() {
            return wait;
        }

        /**
         * Whether this place states a weight.
         *
         * @return {@code false} when it is the default
         */
        public boolean statesWeight() {
            return declaration.weight() != 1;
        }

        /**
         * Whether this place states a lease of its own.
         *
         * @return {@code false} when it is the default
         */
        public boolean statesExpire() {
            return !declaration.expire().equals(RedisBulkhead.DEFAULT_EXPIRE);
        }

        /**
         * Whether this place states how long to wait.
         *
         * @return {@code false} when it is the default
         */
        public boolean statesMaxWait() {
            return !declaration.maxWait().equals(RedisBulkhead.DEFAULT_MAX_WAIT);
        }

        /** The annotation as people write it, with the name as it is written. */
        String annotation() {
            return Texts.annotation(declaration.name());
        }
    }

    private final List<Definition> all = new ArrayList<>();
    private final SortedMap<String, List<Definition>> byName = new TreeMap<>();
    // By what is written in the annotations.
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, List<String>> returning;

    /**
     * Resolves the expressions in annotations. Checks nothing yet.
     *
     * @param declarations what the build found
     * @param config knows the properties, as far as they are known now
     */
    public AnnotationDefinitions(Declarations declarations, Config config) {
        this.returning = declarations.returning();
        for (BulkheadDeclaration declaration : declarations.bulkheads()) {
            Definition definition = new Definition(declaration, config);
            all.add(definition);
            Optional<String> known = definition.name();
            if (known.isPresent()) {
                String name = known.get();
                if (!byName.containsKey(name)) {
                    byName.put(name, new ArrayList<>(1));
                }
                byName.get(name).add(definition);
                names.put(declaration.name(), name);
            }
        }
        for (List<Definition> places : byName.values()) {
            if (places.size() > 1) {
                places.sort(Comparator.comparing(Definition::location));
            }
        }
    }

    List<Definition> all() {
        return all;
    }

    /** The declared names, without those that are not known or not valid, in alphabetical order. */
    Set<String> names() {
        return byName.keySet();
    }

    /**
     * The name of a bulkhead.
     *
     * @param written the name as an annotation has it, which may be an expression
     * @return what that stands for; null when that is not known, or not valid
     */
    public String resolved(String written) {
        return names.get(written);
    }

    /**
     * What is said about one bulkhead.
     *
     * @param name a declared name
     * @return one for each annotation, by location
     */
    public List<Definition> of(String name) {
        return byName.get(name);
    }

    /** Whether all annotations of a bulkhead have its name by an expression, which may become another one. */
    boolean isByExpression(String name) {
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

    /** The weight of calls that name none: of code that takes permits of a declared bulkhead. 1 where places differ. */
    int weight(String name) {
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

    /** The lease; empty when it is not known, or not valid. */
    Optional<Duration> expire(String name) {
        for (Definition place : byName.get(name)) {
            if (place.expire().isPresent()) {
                return place.expire();
            }
        }
        return Optional.empty();
    }

    /** How long a call waits for a permit; empty when it is not known, or not valid. */
    Optional<Duration> maxWait(String name) {
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

    /** The methods guarded by one bulkhead that return something, in alphabetical order. */
    List<String> returning(String name) {
        return returning.entrySet().stream().filter(entry -> name.equals(resolved(entry.getKey())))
                .flatMap(entry -> entry.getValue().stream()).distinct().sorted().toList();
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
                    + places.stream().map(AnnotationDefinitions::values).distinct().collect(Collectors.joining("; "))
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
