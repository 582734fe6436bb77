package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkus.test.QuarkusUnitTest;

/** If code can define bulkheads, configuration of an undeclared name may be correct. */
class NamesInCodeTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Imports.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideConfigKey("quarkus.redis-bulkhead.imports.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.\"imports of acme\".permits", "4")
            .overrideConfigKey("quarkus.redis-bulkhead.import.permits", "5")
            .overrideConfigKey("quarkus.redis-bulkhead.report.permits", "5")
            .overrideConfigKey("quarkus.redis-bulkhead.report.fair", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.unrelated.permits", "5")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.names", "imports, imports of acme, reports, lock:any, imprts")
            .setLogRecordPredicate(line -> line.getLevel().intValue() >= Level.WARNING.intValue()
                    && line.getLoggerName().equals(BulkheadRegistry.class.getName()))
            .assertLogRecords(lines -> assertThat(lines).extracting(line -> line.getMessage()).containsExactlyInAnyOrder(
                    warning("import.permits", "import", " Did you mean \"imports\"?", ""),
                    warning("report.fair, quarkus.redis-bulkhead.report.permits", "report", " Did you mean \"reports\"?", ""),
                    warning("unrelated.permits", "unrelated", "", ""),
                    warning("metrics.names", "imprts", " Did you mean \"imports\"?",
                            ". For a lock of this name, write \"lock:imprts\"")));

    // This class must not use SemaphoreSpec: all of its string constants would count as names.
    @Inject
    Imports imports;

    private static String warning(String properties, String name, String meant, String hint) {
        return "RBH025 quarkus.redis-bulkhead." + properties + ": no @RedisBulkhead has the name \"" + name + "\"." + meant
                + " Declared: reports. It is used if code defines a bulkhead of this name with a SemaphoreSpec" + hint
                + ". See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH025";
    }

    @Test
    void configuresBulkheadsInCodeByName() {
        assertThat(imports.permitsOfAll()).isEqualTo(3);
        assertThat(imports.permits("acme")).isEqualTo(4);
        assertThat(imports.permits("others")).isEqualTo(9);
    }

    @ApplicationScoped
    static class Imports {
        @Inject
        RedisBulkheads bulkheads;

        int permitsOfAll() {
            return bulkheads.semaphore(SemaphoreSpec.named("imports").permits(9).build()).spec().permits();
        }

        int permits(String tenant) {
            return bulkheads.semaphore(SemaphoreSpec.named("imports of " + tenant).permits(9).build()).spec().permits();
        }

        @RedisBulkhead(name = "reports", permits = 1)
        void guarded() {
        }
    }
}
