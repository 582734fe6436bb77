package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.redis.LoggedWarnings;

/**
 * Guarantee 6: each loss is logged with its reason. Trap 17: so is a deadlocked nested call. Trap 19: so are different limits.
 */
class PermitLoggerTest extends TwoInstances {

    final LoggedWarnings log = new LoggedWarnings(PermitLogger.class);
    final List<String> lines = log.texts();

    @AfterEach
    void stop() {
        log.close();
    }

    @ParameterizedTest
    @EnumSource
    void lossesAreWarnings(PermitLost.Reason reason) {
        new PermitLogger().lost(new PermitLost("reports", Optional.empty(), "id-1", 7, "A#a", reason));

        assertThat(lines).singleElement().asString().contains("A#a", "reports", "id-1", "7").doesNotContain("null").endsWith(
                ". See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/log-messages.html#permit-lost");
    }

    @Test
    void nestedDeadlockIsAWarningOncePerMethod() {
        PermitLogger permits = new PermitLogger();
        for (String method : List.of("A#a", "A#b", "A#a")) {
            permits.nestedCallRejected(method, CallRejectedException.nested(1, 1, "reports", Optional.empty(), 1,
                    Duration.ZERO));
        }

        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).contains("retrying does not help",
                "it needs the only permit, and the guarded calls"));
        assertThat(lines.get(0)).contains("A#a");
        assertThat(lines.get(1)).contains("A#b");
    }

    @Test
    void differentLimitsAreAWarningOncePerBulkheadAndSetOfLimits() {
        PermitLogger permits = new PermitLogger();
        for (int i = 0; i < 10; i++) {
            permits.limitsDiffer(BulkheadId.of("reports"), 5, Set.of(10));
            permits.limitsDiffer(BulkheadId.of("exports"), 5, Set.of(10));
        }
        assertThat(lines).hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("5", "10"));

        permits.limitsDiffer(BulkheadId.of("reports"), 5, Set.of(10, 20));
        assertThat(lines).as("the limits have changed").hasSize(3);
    }

    /** Trap 21: a million keys may each have a different limit. */
    @Test
    void differentLimitsOfKeysAreLoggedOnceForAllKeys() {
        PermitLogger permits = new PermitLogger();
        for (int i = 0; i < 10; i++) {
            permits.limitsDiffer(BulkheadId.of("tenants").forKey("secret " + i), 2, Set.of(20 + i));
        }
        assertThat(log.infos()).singleElement()
                .asString().contains("tenants").doesNotContain("secret");

        permits.limitsDiffer(BulkheadId.of("others").forKey("a"), 2, Set.of(20));
        assertThat(log.infos()).hasSize(2);
    }

    @Test
    void instancesWithDifferentLimitsAreFound() {
        PermitLogger permits = new PermitLogger();
        one.events = permits;
        two.events = permits;
        for (int i = 0; i < 10; i++) {
            call(one, work(5)).end();
            call(two, work(6)).end();
            advance(Duration.ofSeconds(5));
        }

        assertThat(lines).isNotEmpty()
                .allSatisfy(line -> assertThat(line).contains("work", "5", "6"));
    }
}
