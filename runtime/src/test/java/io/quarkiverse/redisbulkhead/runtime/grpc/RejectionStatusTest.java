package io.quarkiverse.redisbulkhead.runtime.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.junit.jupiter.api.Test;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.runtime.rest.Rejection;
import io.quarkiverse.redisbulkhead.runtime.rest.RetryAfter;

class RejectionStatusTest {

    private static final BulkheadFullException FULL = new BulkheadFullException("reports", 5, Duration.ofSeconds(3));

    private final RetryAfter retryAfter = after(OptionalLong.of(7), OptionalLong.of(2));

    private static RetryAfter after(OptionalLong full, OptionalLong unavailable) {
        return new RetryAfter(null) {

            @Override
            public OptionalLong of(BulkheadFullException rejection) {
                return full;
            }

            @Override
            public OptionalLong ofUnavailable(String bulkhead) {
                return unavailable;
            }
        };
    }

    private static Optional<StatusRuntimeException> status(Throwable failure, RetryAfter retryAfter) {
        return Rejection.of(failure, retryAfter).map(RejectionHandlerProvider::status);
    }

    @Test
    void fullBulkheadMapsToResourceExhausted() throws Exception {
        assertStatus(FULL, Code.RESOURCE_EXHAUSTED, "Too many concurrent executions", 7);
        assertStatus(new LockNotAcquiredException("import", Duration.ofSeconds(3)), Code.RESOURCE_EXHAUSTED, "Locked", 7);
    }

    @Test
    void unreachableBulkheadMapsToUnavailable() throws Exception {
        String message = "The limit cannot be checked";
        assertStatus(new BulkheadUnavailableException("reports", "redis-7.internal does not answer", null), Code.UNAVAILABLE,
                message, 2);
        assertStatus(new BulkheadContendedException("reports", null), Code.UNAVAILABLE, message, 2);
        assertStatus(new BulkheadInterruptedException("reports", null), Code.UNAVAILABLE, "The call was interrupted", 2);
    }

    @Test
    void otherFailuresAreNotMapped() {
        assertThat(List.of(new IllegalStateException(), new PermitGoneException("reports", "gone"), new AssertionError()))
                .allSatisfy(failure -> assertThat(status(failure, retryAfter)).isEmpty());
    }

    @Test
    void retryDelayIsOptional() {
        RetryAfter withoutDelay = after(OptionalLong.empty(), OptionalLong.empty());

        assertThat(StatusProto.fromThrowable(status(FULL, withoutDelay).orElseThrow()).getDetailsList()).isEmpty();
    }

    private void assertStatus(Throwable rejection, Code code, String message, long seconds)
            throws InvalidProtocolBufferException {
        StatusRuntimeException status = status(rejection, retryAfter).orElseThrow();
        assertThat(status.getStatus().getCode()).isEqualTo(code);
        assertThat(status.getStatus().getDescription()).isEqualTo(message);
        assertThat(StatusProto.fromThrowable(status).getDetails(0).unpack(RetryInfo.class).getRetryDelay().getSeconds())
                .isEqualTo(seconds);
    }
}
