package io.quarkiverse.redisbulkhead.deployment;

import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.runtime.RuntimeValue;

/**
 * Where the bean that carries the findings will look for them. Beans must be defined before the container can tell
 * which methods it intercepts, so the findings come later than their bean.
 */
final class DeclarationsSlotBuildItem extends SimpleBuildItem {

    private final RuntimeValue<AtomicReference<Declarations>> slot;

    DeclarationsSlotBuildItem(RuntimeValue<AtomicReference<Declarations>> slot) {
        this.slot = slot;
    }

    RuntimeValue<AtomicReference<Declarations>> slot() {
        return slot;
    }
}
