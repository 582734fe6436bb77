package io.quarkiverse.redisbulkhead.deployment.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.arc.lookup.LookupIfProperty;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.QuarkusUnitTest;

/** Beans that are deliberately disabled are neither errors nor declared. */
class DisabledBeansTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(OtherProfile.class, OtherProperty.class, LookedUp.class,
                    VetoedClass.class, Excluded.class, Base.class, Heir.class))
            .overrideConfigKey("quarkus.arc.exclude-types", Excluded.class.getName())
            .overrideConfigKey("quarkus.redis-bulkhead.switched.permits", "3")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.excluded.permits", "3");

    @Inject
    Declarations declarations;

    @Test
    void ignoresDisabledBeans() {
        assertThat(declarations.bulkheads()).extracting(BulkheadDeclaration::name).containsExactly("looked-up");
    }

    @Test
    void acceptsConfigurationOfDisabledBeans() {
        assertThat(declarations.namesElsewhere()).contains("switched", "excluded", "base");
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
