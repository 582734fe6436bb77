package io.quarkiverse.redisbulkhead.deployment.management;

import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Operation;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Secured;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.smallrye.openapi.deployment.spi.AddToOpenAPIDefinitionBuildItem;
import io.quarkus.vertx.http.deployment.spi.FrameworkEndpointsBuildItem;
import io.quarkus.vertx.http.deployment.spi.RouteBuildItem;
import io.quarkus.vertx.http.deployment.spi.UseManagementInterfaceBuildItem;

/** The management endpoint, if enabled. Enabling it without an HTTP server fails the build: {@code RBH029}. */
@BuildSteps(onlyIf = ManagementProcessor.Enabled.class)
class ManagementProcessor {

    private static final String PATH = "redis-bulkhead";

    private static final String MANAGEMENT_ROOT = "quarkus.management.root-path";

    // By name: an application without an HTTP server does not have it.
    private static final DotName POLICY = DotName.createSimple("io.quarkus.vertx.http.runtime.security.HttpSecurityPolicy");
    private static final DotName SECURITY = DotName.createSimple("io.quarkus.vertx.http.security.HttpSecurity");

    @BuildStep
    AdditionalBeanBuildItem endpoint(Capabilities capabilities) {
        return capabilities.isPresent(Capability.VERTX_HTTP)
                ? AdditionalBeanBuildItem.unremovableOf(ManagementEndpoint.class)
                : null;
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void routes(ManagementRecorder recorder, RedisBulkheadBuildTimeConfig config, Capabilities capabilities,
            BuildProducer<RouteBuildItem> routes) {
        if (capabilities.isMissing(Capability.VERTX_HTTP)) {
            return;
        }
        for (Operation operation : Operation.values()) {
            if (config.management().changesEnabled() || !operation.changes()) {
                routes.produce(RouteBuildItem.newManagementRoute(PATH + operation.path())
                        .withRouteCustomizer(recorder.route(operation)).withRequestHandler(recorder.handler(operation))
                        .build());
            }
        }
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void warnIfOpen(ManagementRecorder recorder, RedisBulkheadBuildTimeConfig config, Capabilities capabilities,
            CombinedIndexBuildItem application, Optional<FrameworkEndpointsBuildItem> endpoints,
            Optional<UseManagementInterfaceBuildItem> managementInterface) {
        if (config.management().changesEnabled() && endpoints.isPresent()) {
            boolean own = managementInterface.isPresent();
            recorder.warnIfOpen(path(endpoints.get()),
                    own ? "quarkus.management.auth.permission." : "quarkus.http.auth.permission.",
                    own ? property(MANAGEMENT_ROOT, "/q") : property("quarkus.http.root-path", "/"),
                    secured(capabilities, application.getIndex(), own));
        }
    }

    private static Secured secured(Capabilities capabilities, IndexView application, boolean managementInterface) {
        if (capabilities.isMissing(Capability.SECURITY)) {
            return Secured.NOT;
        }
        if (managementInterface && !isManagementAuthenticationEnabled()) {
            return Secured.NOT_ENFORCED;
        }
        boolean byCode = !application.getAllKnownImplementations(POLICY).isEmpty()
                || !application.getKnownUsers(SECURITY).isEmpty();
        return byCode ? Secured.BY_CODE : Secured.BY_CONFIGURATION;
    }

    // Otherwise Quarkus ignores permissions of the management interface. The second property is the default of the first.
    private static boolean isManagementAuthenticationEnabled() {
        return Boolean.parseBoolean(
                property("quarkus.management.auth.enabled", property("quarkus.management.auth.basic", "false")));
    }

    /** The document is beside the endpoint, or left as it is. */
    @BuildStep
    void describe(RedisBulkheadBuildTimeConfig config, Capabilities capabilities,
            Optional<FrameworkEndpointsBuildItem> endpoints, Optional<UseManagementInterfaceBuildItem> managementInterface,
            BuildProducer<AddToOpenAPIDefinitionBuildItem> documents) {
        boolean elsewhere = managementInterface.isPresent()
                && !Boolean.parseBoolean(property("quarkus.smallrye-openapi.management.enabled", "true"));
        if (capabilities.isPresent(Capability.SMALLRYE_OPENAPI) && endpoints.isPresent() && !elsewhere) {
            documents.produce(new AddToOpenAPIDefinitionBuildItem(
                    new ManagementDescription(path(endpoints.get()), config.management().changesEnabled()), null));
        }
    }

    // Routes of the management interface are not among the endpoints; there they are right below the root.
    private static String path(FrameworkEndpointsBuildItem endpoints) {
        return endpoints.getEndpoints().stream().filter(path -> path.endsWith("/" + PATH)).findFirst()
                .orElseGet(() -> ("/" + property(MANAGEMENT_ROOT, "/q") + "/" + PATH).replaceAll("/+", "/"));
    }

    private static String property(String name, String otherwise) {
        return ConfigProvider.getConfig().getOptionalValue(name, String.class).orElse(otherwise);
    }

    /** Whether the endpoint is enabled. */
    static final class Enabled implements BooleanSupplier {

        private final RedisBulkheadBuildTimeConfig config;

        Enabled(RedisBulkheadBuildTimeConfig config) {
            this.config = config;
        }

        @Override
        public boolean getAsBoolean() {
            return config.management().enabled();
        }
    }
}
