package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Secured;

/**
 * Warns that the endpoint that changes limits looks unprotected.
 *
 * @param path where the endpoint is
 * @param group the properties that secure it start with this
 * @param secured whether the application has any security, and whether code may secure the path
 */
record OpenEndpointWarning(String path, String group, Secured secured) {

    /** The warning; none where permissions cover the path, or code may do so. */
    Optional<String> unlessCovered(Permissions permissions) {
        boolean quiet = switch (secured) {
            case NOT, NOT_ENFORCED -> false;
            case BY_CONFIGURATION -> permissions.cover(path);
            case BY_CODE -> true;
        };
        return quiet ? Optional.empty() : Optional.of(text());
    }

    private String text() {
        return "Any client that reaches " + path + " can revoke permits and set limits:"
                + " quarkus.redis-bulkhead.management.changes-enabled=true, and " + switch (secured) {
                    case NOT ->
                        "no " + group + "* covers that path and what is below it; nor has the application a security extension";
                    case NOT_ENFORCED ->
                        "the management interface authenticates no client, whatever permissions are configured."
                                + " Set quarkus.management.auth.basic=true, or quarkus.management.auth.enabled=true with another mechanism";
                    default -> "no " + group + "* covers that path and what is below it. End its paths with /*";
                };
    }
}
