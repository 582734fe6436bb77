package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Set;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.PropertyNames;

/**
 * A bulkhead is configured under {@code quarkus.redis-bulkhead."name"}, so it cannot have the name of a property that
 * stands in the same place: its own properties would be taken for parts of that one, and be ignored.
 */
final class ReservedNamesRule implements Rule {

    private static final Set<String> RESERVED = Set.of("enabled", "store", "redis-client", "key-prefix", "command-timeout",
            "on-outage", "instances", "rest", "lock", "lock-store", "devservices");

    /** Whether a property of the extension has this name. */
    static boolean isReserved(String name) {
        return RESERVED.contains(name);
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.elements()) {
            element.bulkheads().stream().map(WrittenBulkhead::name).filter(ReservedNamesRule::isReserved).distinct()
                    .forEach(name -> mistakes.accept(new Mistake(element.place(), Texts.annotation(name)
                            + " could not be configured, because " + PropertyNames.PREFIX + name
                            + " is the extension's own. Use another name, such as \"" + name + "-calls\"")));
        }
    }
}
