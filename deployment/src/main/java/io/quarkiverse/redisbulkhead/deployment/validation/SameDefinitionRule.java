package io.quarkiverse.redisbulkhead.deployment.validation;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.Definitions.Definition;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;

/** All places that name a bulkhead must state the same values, except that permits may be left out. */
final class SameDefinitionRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        usage.definitions().byName().forEach((name, definitions) -> {
            if (differ(definitions)) {
                mistakes.accept(new Mistake(Texts.annotation(name), "has different values: " + list(definitions)
                        + ". State the same values at every place (permits may be left out), or use different names"));
            }
        });
    }

    private static boolean differ(List<Definition> definitions) {
        return isMoreThanOne(written(definitions).filter(WrittenBulkhead::statesPermits).map(WrittenBulkhead::permits))
                || isMoreThanOne(written(definitions).map(WrittenBulkhead::fair))
                || isMoreThanOne(read(DurationText.EXPIRE, written(definitions).map(WrittenBulkhead::expire)))
                || isMoreThanOne(read(DurationText.MAX_WAIT, written(definitions).map(WrittenBulkhead::maxWait)));
    }

    private static Stream<Duration> read(DurationText member, Stream<String> values) {
        return values.filter(member::isValid).map(member::parse);
    }

    private static Stream<WrittenBulkhead> written(List<Definition> definitions) {
        return definitions.stream().map(Definition::bulkhead);
    }

    private static boolean isMoreThanOne(Stream<?> values) {
        return values.distinct().count() > 1;
    }

    private static String list(List<Definition> definitions) {
        return definitions.stream()
                .map(definition -> values(definition.bulkhead()) + " at " + definition.place())
                .distinct()
                .collect(Collectors.joining("; "));
    }

    private static String values(WrittenBulkhead bulkhead) {
        return (bulkhead.statesPermits() ? "permits=" + bulkhead.permits() + ", " : "")
                + "fair=" + bulkhead.fair() + ", expire=" + bulkhead.expire() + ", maxWait=" + bulkhead.maxWait();
    }
}
