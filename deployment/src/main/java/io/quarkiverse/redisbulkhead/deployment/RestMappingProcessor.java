package io.quarkiverse.redisbulkhead.deployment;

import jakarta.ws.rs.Priorities;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.resteasy.reactive.spi.ExceptionMapperBuildItem;

/** Makes rejections HTTP responses where Quarkus REST is present. */
class RestMappingProcessor {

    // Named, not referred to: they need Jakarta REST, which an application without Quarkus REST does not have.
    private static final String MAPPERS = "io.quarkiverse.redisbulkhead.runtime.rest.";

    // The lower number wins, and mappers of applications have Priorities.USER unless they say otherwise.
    private static final int AFTER_USERS = Priorities.USER + 1_000;

    @BuildStep
    void exceptionMappers(Capabilities capabilities, BuildProducer<ExceptionMapperBuildItem> mappers) {
        if (capabilities.isPresent(Capability.RESTEASY_REACTIVE)) {
            mappers.produce(mapper("BulkheadFullMapper", BulkheadFullException.class));
            mappers.produce(mapper("BulkheadUnavailableMapper", BulkheadUnavailableException.class));
            mappers.produce(mapper("BulkheadContendedMapper", BulkheadContendedException.class));
        }
    }

    private static ExceptionMapperBuildItem mapper(String simpleName, Class<? extends Exception> handled) {
        return new ExceptionMapperBuildItem(MAPPERS + simpleName, handled.getName(), AFTER_USERS, true);
    }
}
