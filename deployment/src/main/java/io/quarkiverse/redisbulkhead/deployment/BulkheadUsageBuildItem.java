package io.quarkiverse.redisbulkhead.deployment;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkus.builder.item.SimpleBuildItem;

/** The use of the annotation in the application, before and after validation. */
final class BulkheadUsageBuildItem extends SimpleBuildItem {

    private final BulkheadUsage usage;

    BulkheadUsageBuildItem(BulkheadUsage usage) {
        this.usage = usage;
    }

    BulkheadUsage usage() {
        return usage;
    }
}
