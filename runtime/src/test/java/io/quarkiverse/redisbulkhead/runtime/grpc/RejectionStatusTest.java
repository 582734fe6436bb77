package io.quarkiverse.redisbulkhead.runtime.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.PermitGoneException;

class RejectionStatusTest {

    @Test
    void fullBulkheadsAreExhausted() {
        assertStatus(new BulkheadFullException("reports", 5, Duration.ofSeconds(3)), Code.RESOURCE_EXHAUSTED,
                "Too many concurrent executions");
        assertStatus(new LockNotAcquiredException("import", Duration.ofSeconds(3)), Code.RESOURCE_EXHAUSTED, "Locked");
    }

    @Test
    void bulkheadsThatCannotBeAskedAreUnavailable() {
        assertStatus(new BulkheadUnavailableException("reports", "redis-7.internal does not answer", null), Code.UNAVAILABLE,
                "The limit cannot be checked");
        assertStatus(new BulkheadContendedException("reports", null), Code.UNAVAILABLE, "The limit cannot be checked");
    }

    @Test
    void otherFailuresHaveNoStatusHere() {
        assertThat(List.of(new IllegalStateException(), new PermitGoneException("reports", "gone"), new AssertionError()))
                .allSatisfy(failure -> assertThat(RejectionStatus.of(failure)).isEmpty());
    }

    /** Trap 28: at least one second. */
    @ParameterizedTest
    @CsvSource({ "PT0S,PT1S", "PT0.3S,PT1S", "PT1.5S,PT1.5S", "PT30S,PT30S" })
    void theDelayIsAtLeastASecond(Duration leaseEnd, Duration delay) throws InvalidProtocolBufferException {
        StatusRuntimeException status = RejectionStatus.of(new BulkheadFullException("reports", 5, leaseEnd)).orElseThrow();

        com.google.protobuf.Duration sent = StatusProto.fromThrowable(status).getDetails(0).unpack(RetryInfo.class)
                .getRetryDelay();

        assertThat(Duration.ofSeconds(sent.getSeconds(), sent.getNanos())).isEqualTo(delay);
    }

    private static void assertStatus(Throwable rejection, Code code, String message) {
        assertThat(RejectionStatus.of(rejection)).hasValueSatisfying(status -> {
            assertThat(status.getStatus().getCode()).isEqualTo(code);
            assertThat(status.getStatus().getDescription()).isEqualTo(message);
        });
    }
}
