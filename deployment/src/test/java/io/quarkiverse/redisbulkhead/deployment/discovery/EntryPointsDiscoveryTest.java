package io.quarkiverse.redisbulkhead.deployment.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;

/** Classes whose scope Quarkus adds are beans like any other. */
class EntryPointsDiscoveryTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER))
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Resource.class, Api.class, Jobs.class));

    @Inject
    Declarations declarations;

    @Test
    void restResourcesAndScheduledMethods() {
        assertThat(declarations.methods()).extracting(MethodDeclaration::label)
                .containsExactlyInAnyOrder("Resource#render", "Resource#fromApi", "Jobs#nightly");
    }

    public interface Api {

        @GET
        @Path("from-api")
        String fromApi();
    }

    @Path("resource")
    public static class Resource implements Api {

        @GET
        @RedisBulkhead(name = "reports", permits = 1)
        public String render() {
            return "";
        }

        @Override
        @RedisBulkhead(name = "reports", permits = 1)
        public String fromApi() {
            return "";
        }
    }

    public static class Jobs {

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "nightly", permits = 1)
        void nightly() {
        }
    }
}
