package io.quarkiverse.redisbulkhead.deployment;

import io.quarkiverse.redisbulkhead.runtime.RecentExecutions;
import io.quarkiverse.redisbulkhead.runtime.rest.RetryAfter;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Gives rejections their gRPC status where the application has gRPC services. */
class GrpcProcessor {

    // By name: it needs gRPC. Removed as unused without a service, or with another provider.
    private static final String PROVIDER = "io.quarkiverse.redisbulkhead.runtime.grpc.RejectionHandlerProvider";

    @BuildStep
    void rejections(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.GRPC)) {
            beans.produce(new AdditionalBeanBuildItem(PROVIDER));
            beans.produce(AdditionalBeanBuildItem.builder().addBeanClasses(RecentExecutions.class, RetryAfter.class)
                    .setUnremovable().build());
        }
    }
}
