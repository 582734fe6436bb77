package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;

import io.quarkus.test.QuarkusUnitTest;

/** Common parts of test applications that add {@link OptionalExtensions}. */
public final class ExtendedApplication {

    private ExtendedApplication() {
    }

    /**
     * An application that keeps only our own log records. With {@link OptionalExtensions#USERS}, olga is an operator and
     * victor a viewer; the password of both is "secret".
     */
    public static QuarkusUnitTest with(String... extensions) {
        QuarkusUnitTest application = new QuarkusUnitTest()
                .setForcedDependencies(OptionalExtensions.of(extensions))
                .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.quarkiverse.redisbulkhead"));
        return List.of(extensions).contains(OptionalExtensions.USERS) ? withUsers(application) : application;
    }

    private static QuarkusUnitTest withUsers(QuarkusUnitTest application) {
        return application
                .overrideConfigKey("quarkus.security.users.embedded.enabled", "true")
                .overrideRuntimeConfigKey("quarkus.security.users.embedded.plain-text", "true")
                .overrideRuntimeConfigKey("quarkus.security.users.embedded.users.olga", "secret")
                .overrideRuntimeConfigKey("quarkus.security.users.embedded.roles.olga", "operator")
                .overrideRuntimeConfigKey("quarkus.security.users.embedded.users.victor", "secret")
                .overrideRuntimeConfigKey("quarkus.security.users.embedded.roles.victor", "viewer");
    }
}
