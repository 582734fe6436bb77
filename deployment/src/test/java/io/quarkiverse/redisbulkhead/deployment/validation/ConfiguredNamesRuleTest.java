package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.test.QuarkusUnitTest;

class ConfiguredNamesRuleTest {

    private static final String DECLARED = " Nor does any class of the application use SemaphoreSpec to define"
            + " bulkheads in code";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ConfiguredNamesRuleTest.class,
            new Class<?>[] { Reports.class, Elsewhere.class },
            "RBH025 quarkus.redis-bulkhead.\"archive-2024\".permits: no @RedisBulkhead has the name \"archive-2024\". "
                    + "Declared: reports, of.sales." + DECLARED,
            "RBH028 quarkus.redis-bulkhead.\"reports\".permitz: there is no such property. Did you mean"
                    + " quarkus.redis-bulkhead.\"reports\".permits?",
            "RBH028 quarkus.redis-bulkhead.command-timout: there is no such property. Did you mean"
                    + " quarkus.redis-bulkhead.command-timeout?",
            "RBH025 quarkus.redis-bulkhead.eu-order.permits: no @RedisBulkhead has the name \"eu-order\". Declared: "
                    + "reports, of.sales." + DECLARED,
            "RBH028 quarkus.redis-bulkhead.lock.\"of.orders\".fairness: there is no such property. Available: "
                    + "acquire-timeout, fair, keep-idle, lock-timeout, min-hold",
            "RBH025 quarkus.redis-bulkhead.metrics.names: no @RedisBulkhead has the name \"sales\". Declared: of.sales, reports."
                    + DECLARED + ". For a lock of this name, write \"lock:sales\"",
            "RBH025 quarkus.redis-bulkhead.of.sales.fair: a bulkhead name that contains a dot must be quoted: "
                    + "quarkus.redis-bulkhead.\"of.sales\".*",
            "RBH025 quarkus.redis-bulkhead.report.fair, quarkus.redis-bulkhead.report.permits: no @RedisBulkhead has "
                    + "the name \"report\". Did you mean \"reports\"? Declared: reports, of.sales." + DECLARED,
            "RBH028 quarkus.redis-bulkhead.reports.max-wit: there is no such property. Did you mean"
                    + " quarkus.redis-bulkhead.reports.max-wait?",
            "RBH028 quarkus.redis-bulkhead.rest.state: there is no such property. Did you mean"
                    + " quarkus.redis-bulkhead.rest.status?")
            .overrideConfigKey("quarkus.redis-bulkhead.report.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.report.fair", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.\"archive-2024\".permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.\"reports\".permitz", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.reports.max-wit", "3s")
            .overrideConfigKey("quarkus.redis-bulkhead.of.sales.fair", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.command-timout", "2s")
            .overrideConfigKey("quarkus.redis-bulkhead.rest.state", "503")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".fairness", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.lock.\"of.orders\".fair", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.\"of.sales\".permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.names", "reports,of.sales,sales,lock:any,elsewhere,eu-orders")
            .overrideConfigKey("quarkus.redis-bulkhead.unset.permits", "")
            .overrideConfigKey("quarkus.redis-bulkhead.reports", " ")
            .overrideConfigKey("quarkus.redis-bulkhead.elsewhere.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.eu-orders.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.eu-order.permits", "3");

    @Test
    void buildFailsForConfigurationOfUnknownNames() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "reports", permits = 1)
        void render() {
        }

        @RedisBulkhead(name = "of.sales", permits = 1)
        void sales() {
        }

        @RedisBulkhead(name = "${region.of.production}-orders", permits = 1)
        void orders() {
        }
    }

    @Singleton
    @IfBuildProfile("elsewhere")
    static class Elsewhere {

        @RedisBulkhead(name = "elsewhere", permits = 1)
        void guarded() {
        }
    }
}
