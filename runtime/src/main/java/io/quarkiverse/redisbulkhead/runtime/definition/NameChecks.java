package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** What must hold for each name, over all places that use it. */
final class NameChecks {

    private NameChecks() {
    }

    static void check(Definitions definitions, Predicate<String> permitsConfigured, Findings findings) {
        definitions.byName().forEach((name, places) -> {
            checkPermits(name, definitions, permitsConfigured, findings);
            checkSame(name, places, findings);
            checkReserved(name, places, findings);
        });
    }

    /** The permits must be stated somewhere: in an annotation or in the configuration. */
    private static void checkPermits(String name, Definitions definitions, Predicate<String> permitsConfigured,
            Findings findings) {
        if (definitions.permits(name).isEmpty() && !permitsConfigured.test(name)) {
            findings.add(MessageCode.RBH006, String.join(", ", definitions.places(name)), Texts.annotation(name)
                    + ": permits are not stated. State them in the annotation, or set " + PropertyNames.of(name, "permits"));
        }
    }

    /** All places must state the same values, except that permits may be left out. */
    private static void checkSame(String name, List<Definition> places, Findings findings) {
        if (isMoreThanOne(places.stream().map(Definition::permits).filter(OptionalInt::isPresent))
                || isMoreThanOne(places.stream().map(Definition::fair))
                || isMoreThanOne(places.stream().map(Definition::expire).flatMap(Optional::stream))
                || isMoreThanOne(places.stream().map(Definition::maxWait).flatMap(Optional::stream))) {
            findings.add(MessageCode.RBH007, Texts.annotation(name), "has different values: "
                    + places.stream().map(NameChecks::values).distinct().collect(Collectors.joining("; "))
                    + ". State the same values at every place (permits may be left out), or use different names");
        }
    }

    private static boolean isMoreThanOne(Stream<?> values) {
        return values.distinct().count() > 1;
    }

    private static String values(Definition definition) {
        BulkheadDeclaration written = definition.declaration();
        return (written.statesPermits() ? "permits=" + written.permits() + ", " : "") + "fair=" + written.fair()
                + ", expire=" + definition.expireText().shown() + ", maxWait=" + definition.maxWaitText().shown() + " at "
                + written.place() + (definition.nameText().isExpression() ? " (name = \"" + written.name() + "\")" : "");
    }

    /**
     * A bulkhead is configured under {@code quarkus.redis-bulkhead."name"}, so it cannot have the name of a property
     * that stands in the same place: its own properties would be taken for parts of that one, and be ignored.
     */
    private static void checkReserved(String name, List<Definition> places, Findings findings) {
        if (OwnProperties.isReserved(name)) {
            places.stream().map(Definition::place).distinct()
                    .forEach(place -> findings.add(MessageCode.RBH008, place, Texts.annotation(name)
                            + " could not be configured, because " + PropertyNames.PREFIX + name
                            + " is the extension's own. Use another name, such as \"" + name + "-calls\""));
        }
    }
}
