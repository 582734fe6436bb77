package io.quarkus.grpc;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of Quarkus gRPC, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface GrpcService {
}
