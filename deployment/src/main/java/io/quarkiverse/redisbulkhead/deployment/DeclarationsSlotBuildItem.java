package io.quarkiverse.redisbulkhead.deployment;

import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.runtime.RuntimeValue;

/**
 * The slot in which the bean of the declarations looks for them. Beans are defined before the container knows which methods
 * it intercepts, so the declarations come later than their bean.
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
