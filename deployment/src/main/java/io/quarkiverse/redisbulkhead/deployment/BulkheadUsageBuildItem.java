package io.quarkiverse.redisbulkhead.deployment;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkus.builder.item.SimpleBuildItem;

/** How the application uses the annotation, checked or not. */
final class BulkheadUsageBuildItem extends SimpleBuildItem {

    private final BulkheadUsage usage;

    BulkheadUsageBuildItem(BulkheadUsage usage) {
        this.usage = usage;
    }

    BulkheadUsage usage() {
        return usage;
    }
}
