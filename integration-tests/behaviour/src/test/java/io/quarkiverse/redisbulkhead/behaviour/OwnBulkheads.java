package io.quarkiverse.redisbulkhead.behaviour;

import java.util.Collection;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.arc.Arc;

/** Selects the bulkheads of one test class among those of the application. */
final class OwnBulkheads {

    private OwnBulkheads() {
    }

    /** The names that the beans nested in this class declare. */
    static Collection<String> of(Class<?> test) {
        Predicate<BulkheadDeclaration> own = declaration -> declaration.location().startsWith(test.getName() + "$");
        return Arc.container().instance(Declarations.class).get().bulkheads().stream().filter(own)
                .map(BulkheadDeclaration::name).collect(Collectors.toCollection(TreeSet::new));
    }
}
