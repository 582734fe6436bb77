package io.quarkiverse.redisbulkhead.deployment;

import java.util.Set;
import java.util.function.Consumer;

/**
 * A bulkhead is configured under {@code quarkus.redis-bulkhead."name"}, so it cannot have the name of a property that stands in
 * the
 * same place: its own properties would be taken for parts of that one, and be ignored.
 */
final class ReservedNamesRule implements Rule {

    private static final Set<String> RESERVED = Set.of("enabled", "store", "redis-client", "key-prefix", "command-timeout",
            "on-outage", "rest", "devservices");

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.elements()) {
            element.bulkheads().stream().map(WrittenBulkhead::name).filter(RESERVED::contains).distinct()
                    .forEach(name -> mistakes.accept(new Mistake(element.place(), Texts.annotation(name)
                            + " could not be configured, because quarkus.redis-bulkhead." + name
                            + " is a property of the extension. Use another name, such as \"" + name + "-calls\"")));
        }
    }
}
