package io.quarkiverse.redisbulkhead.deployment.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkus.arc.lookup.LookupIfProperty;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Classes whose scope Quarkus adds are beans like any other. Beans that are deliberately disabled, and abstract classes of
 * another module that other applications extend, are neither errors nor declared.
 */
class BeansDiscoveryTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER))
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Resource.class, Api.class, Jobs.class, MoreJobs.class,
                            OtherProfile.class,
                            OtherProperty.class, LookedUp.class, VetoedClass.class, Excluded.class, Base.class, Heir.class))
            .withAdditionalDependency(module -> module.addClass(ForOtherApplications.class))
            .overrideConfigKey("quarkus.redis-bulkhead.shared.permits", "3")
            .overrideConfigKey("quarkus.arc.exclude-types", Excluded.class.getName())
            .overrideConfigKey("quarkus.redis-bulkhead.switched.permits", "3")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.excluded.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.decided.on-full", "skip")
            .setLogRecordPredicate(line -> line.getLoggerName().endsWith("GuardProcessor"))
            .assertLogRecords(lines -> assertThat(lines).extracting(line -> line.getMessage()).containsExactlyInAnyOrder(
                    "RBH037 " + Jobs.class.getName() + "#nightly: a run that begins while the only permit of"
                            + " @RedisBulkhead(name = \"nightly\") is taken is skipped, even if the previous run of this"
                            + " instance has it. Set concurrentExecution = SKIP in @Scheduled if runs must not overlap within"
                            + " an instance, or decide for all calls with quarkus.redis-bulkhead.\"nightly\".on-full, which is"
                            + " reject or skip. See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH037"));

    @Inject
    Declarations declarations;

    @Test
    void declaresBeansThatAreNotDisabled() {
        assertThat(declarations.methods()).extracting(MethodDeclaration::label)
                .containsExactlyInAnyOrder("LookedUp#guarded", "Resource#render", "Resource#fromApi", "Jobs#nightly",
                        "Jobs#decided", "Jobs#apart", "Jobs#several", "MoreJobs#nightly", "MoreJobs#decided", "MoreJobs#apart",
                        "MoreJobs#several");
        assertThat(declarations.bulkheads()).extracting(BulkheadDeclaration::name).containsOnly("looked-up",
                "nightly", "decided", "apart", "several", "reports");
        assertThat(declarations.namesElsewhere()).as("of disabled beans: may be configured")
                .contains("switched", "excluded", "base", "shared");
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

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "decided", permits = 1)
        void decided() {
        }

        @Scheduled(every = "24h", delayed = "24h", concurrentExecution = ConcurrentExecution.SKIP)
        @RedisBulkhead(name = "apart", permits = 1)
        void apart() {
        }

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "several", permits = 2)
        void several() {
        }
    }

    // Each warning about an inherited method is logged once.
    @Singleton
    public static class MoreJobs extends Jobs {
    }

    @Singleton
    @IfBuildProfile("elsewhere")
    static class OtherProfile {
        @RedisBulkhead(name = "switched", permits = 1)
        void guarded() {
        }

        @RedisBulkhead(name = "switched", permits = 1)
        private void hidden() {
        }

        void keyed(@BulkheadKey String key) {
        }
    }

    @Singleton
    @IfBuildProperty(name = "elsewhere", stringValue = "true")
    @RedisBulkhead(name = "switched", permits = 2)

    static class OtherProperty {
        void guarded() {
        }
    }

    @Singleton
    @LookupIfProperty(name = "elsewhere", stringValue = "true")
    static class LookedUp {
        @RedisBulkhead(name = "looked-up", permits = 1)
        void guarded() {
        }
    }

    @Vetoed
    static class VetoedClass {
        @RedisBulkhead(name = "", permits = 0)
        void guarded() {
        }

        void keyed(@BulkheadKey String key) {
        }
    }

    @Singleton
    static class Excluded {
        @RedisBulkhead(name = "excluded", permits = 0)
        void guarded() {
        }

        void keyed(@BulkheadKey String key) {
        }
    }

    abstract static class Base {
        @RedisBulkhead(name = "base", permits = 1)
        void guarded() {
        }

        void keyed(@BulkheadKey String key) {
        }
    }

    @Singleton
    @IfBuildProfile("elsewhere")
    static class Heir extends Base {
    }
}
