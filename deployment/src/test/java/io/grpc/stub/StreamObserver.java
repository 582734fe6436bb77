package io.grpc.stub;

/** Stands for the type of gRPC, which is not among the dependencies of the tests. */
public interface StreamObserver<T> {
}
