package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;

/** One method takes at most one permit of a bulkhead. */
final class DistinctNamesRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.elements()) {
            Set<String> seen = new HashSet<>();
            Set<String> twice = new TreeSet<>();
            for (WrittenBulkhead bulkhead : element.bulkheads()) {
                if (!seen.add(bulkhead.name())) {
                    twice.add(bulkhead.name());
                }
            }
            twice.forEach(name -> mistakes.accept(new Mistake(element.place(), Texts.annotation(name)
                    + " stands here more than once, so each call would take several permits of one bulkhead."
                    + " Keep one of them, or use different names")));
        }
    }
}
