package io.quarkiverse.redisbulkhead.runtime.grpc;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;

/** The gRPC status of a rejection, with a {@link RetryInfo} among its details. It contains nothing internal. */
final class RejectionStatus {

    private final Function<BulkheadFullException, OptionalLong> whenFull;
    private final Function<String, OptionalLong> whenUnavailable;

    /**
     * Says when to come back.
     *
     * @param whenFull seconds for a call that found its bulkhead full; empty for no {@code RetryInfo}
     * @param whenUnavailable the same for a bulkhead that could not be asked, by its name
     */
    RejectionStatus(Function<BulkheadFullException, OptionalLong> whenFull, Function<String, OptionalLong> whenUnavailable) {
        this.whenFull = whenFull;
        this.whenUnavailable = whenUnavailable;
    }

    /**
     * Finds the status of a failure.
     *
     * @return empty when the failure is not a rejection by a bulkhead
     */
    Optional<StatusRuntimeException> of(Throwable failure) {
        if (failure instanceof BulkheadFullException full) {
            return Optional.of(status(Code.RESOURCE_EXHAUSTED,
                    full instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions",
                    whenFull.apply(full)));
        }
        if (failure instanceof BulkheadUnavailableException unavailable) {
            return Optional.of(unavailable("The limit cannot be checked", unavailable.name()));
        }
        if (failure instanceof BulkheadContendedException contended) {
            return Optional.of(unavailable("The limit cannot be checked", contended.name()));
        }
        if (failure instanceof BulkheadInterruptedException interrupted) {
            return Optional.of(unavailable("The call was interrupted", interrupted.name()));
        }
        return Optional.empty();
    }

    private StatusRuntimeException unavailable(String message, String bulkhead) {
        return status(Code.UNAVAILABLE, message, whenUnavailable.apply(bulkhead));
    }

    private static StatusRuntimeException status(Code code, String message, OptionalLong retryAfter) {
        com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage(message);
        retryAfter.ifPresent(seconds -> status.addDetails(Any.pack(
                RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(seconds)).build())));
        return StatusProto.toStatusRuntimeException(status.build());
    }
}
