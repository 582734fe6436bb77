package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.stream.Stream;

import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;

/** Extensions that only some tests add. On the class path of all tests, they would slow down every application. */
public final class OptionalExtensions {

    public static final String METRICS = "quarkus-micrometer-registry-prometheus";
    public static final String TRACING = "quarkus-opentelemetry";
    public static final String SCHEDULER = "quarkus-scheduler";
    public static final String HEALTH = "quarkus-smallrye-health";
    public static final String GRPC = "quarkus-grpc";
    public static final String OPENAPI = "quarkus-smallrye-openapi";
    public static final String FAULT_TOLERANCE = "quarkus-smallrye-fault-tolerance";
    public static final String USERS = "quarkus-elytron-security-properties-file";

    private OptionalExtensions() {
    }

    /** Dependencies of a test. */
    public static List<Dependency> of(String... artifacts) {
        return Stream.of(artifacts).map(artifact -> Dependency.of("io.quarkus", artifact, Version.getVersion())).toList();
    }
}
