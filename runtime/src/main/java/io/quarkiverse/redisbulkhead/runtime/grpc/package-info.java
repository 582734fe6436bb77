/** How rejections look to the callers of a gRPC service. */
package io.quarkiverse.redisbulkhead.runtime.grpc;
