package io.quarkiverse.redisbulkhead.deployment.validation;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** The management endpoint needs an HTTP server. */
final class ManagementRule implements Rule {

    private final RedisBulkheadBuildTimeConfig fixed;
    private final boolean http;

    /**
     * @param fixed says whether the endpoint is wanted
     * @param http whether the application has an HTTP server
     */
    ManagementRule(RedisBulkheadBuildTimeConfig fixed, boolean http) {
        this.fixed = fixed;
        this.http = http;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        if (fixed.management().enabled() && !http) {
            errors.add(MessageCode.RBH029, PropertyNames.PREFIX + "management.enabled",
                    "the management endpoint needs an HTTP server, which this application does not have. Add the extension"
                            + " io.quarkus:quarkus-vertx-http, or another extension that includes it, such as io.quarkus:quarkus-rest; or leave"
                            + " the property out");
        }
    }
}
