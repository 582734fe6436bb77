package io.quarkiverse.redisbulkhead.runtime.grpc;

import java.util.Optional;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.runtime.rest.Rejection;
import io.quarkiverse.redisbulkhead.runtime.rest.RetryAfter;

/** The gRPC status of a rejection, with a {@link RetryInfo} among its details. It contains nothing internal. */
final class RejectionStatus {

    private RejectionStatus() {
    }

    /**
     * Finds the status of a failure.
     *
     * @param failure what a call failed with
     * @param retryAfter says when to come back
     * @return empty when the failure is not a rejection by a bulkhead
     */
    static Optional<StatusRuntimeException> of(Throwable failure, RetryAfter retryAfter) {
        return Rejection.of(failure, retryAfter).map(rejection -> {
            Code code = rejection.isFull() ? Code.RESOURCE_EXHAUSTED : Code.UNAVAILABLE;
            Status.Builder status = Status.newBuilder().setCode(code.value()).setMessage(rejection.title());
            rejection.retryAfter().ifPresent(seconds -> status.addDetails(Any.pack(
                    RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(seconds)).build())));
            return StatusProto.toStatusRuntimeException(status.build());
        });
    }
}
