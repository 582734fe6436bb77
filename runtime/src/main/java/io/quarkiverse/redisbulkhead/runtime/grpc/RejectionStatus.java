package io.quarkiverse.redisbulkhead.runtime.grpc;

import java.time.Duration;
import java.util.Optional;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;

/** The gRPC status of a rejection, with a {@link RetryInfo} among its details. It contains nothing internal. */
final class RejectionStatus {

    private static final Duration AT_LEAST = Duration.ofSeconds(1);

    private RejectionStatus() {
    }

    /**
     * Finds the status of a failure.
     *
     * @return empty when the failure is not a rejection by a bulkhead
     */
    static Optional<StatusRuntimeException> of(Throwable failure) {
        if (failure instanceof BulkheadFullException full) {
            return Optional.of(status(Code.RESOURCE_EXHAUSTED,
                    full instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions",
                    full.nearestLeaseEnd()));
        }
        if (failure instanceof BulkheadUnavailableException || failure instanceof BulkheadContendedException) {
            return Optional.of(status(Code.UNAVAILABLE, "The limit cannot be checked", AT_LEAST));
        }
        return Optional.empty();
    }

    private static StatusRuntimeException status(Code code, String message, Duration retryAfter) {
        // A delay of zero would make clients call again at once.
        Duration delay = retryAfter.compareTo(AT_LEAST) < 0 ? AT_LEAST : retryAfter;
        RetryInfo retryInfo = RetryInfo.newBuilder().setRetryDelay(com.google.protobuf.Duration.newBuilder()
                .setSeconds(delay.getSeconds()).setNanos(delay.getNano())).build();
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(code.value()).setMessage(message).addDetails(Any.pack(retryInfo)).build());
    }
}
