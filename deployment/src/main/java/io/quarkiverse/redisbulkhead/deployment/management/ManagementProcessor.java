package io.quarkiverse.redisbulkhead.deployment.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint.Operation;
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
import io.smallrye.openapi.runtime.io.Format;
import io.smallrye.openapi.runtime.io.OpenApiParser;

/** The management endpoint, if enabled. Enabling it without an HTTP server fails the build: {@code RBH029}. */
@BuildSteps(onlyIf = ManagementProcessor.Enabled.class)
class ManagementProcessor {

    private static final String PATH = "redis-bulkhead";
    private static final String PATH_IN_DOCUMENT = "/q/redis-bulkhead";

    private static final String MANAGEMENT_ROOT = "quarkus.management.root-path";

    private static final String NOT_ENFORCED = "the management interface performs no authentication, so permissions have no"
            + " effect. Set quarkus.management.auth.basic=true, or quarkus.management.auth.enabled=true with another"
            + " mechanism";

    // By name: an application without an HTTP server does not have it.
    private static final DotName POLICY = DotName.createSimple("io.quarkus.vertx.http.runtime.security.HttpSecurityPolicy");
    private static final DotName SECURITY = DotName.createSimple("io.quarkus.vertx.http.security.HttpSecurity");

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void routes(ManagementEndpoint recorder, RedisBulkheadBuildTimeConfig config, Capabilities capabilities,
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

    /** Not if code of the application may secure the path: it cannot be asked for what it secures. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void warnIfOpen(ManagementEndpoint recorder, RedisBulkheadBuildTimeConfig config, Capabilities capabilities,
            CombinedIndexBuildItem application, Optional<FrameworkEndpointsBuildItem> endpoints,
            Optional<UseManagementInterfaceBuildItem> managementInterface) {
        boolean own = managementInterface.isPresent();
        boolean byCode = !application.getIndex().getAllKnownImplementations(POLICY).isEmpty()
                || !application.getIndex().getKnownUsers(SECURITY).isEmpty();
        String open = capabilities.isMissing(Capability.SECURITY) ? "the application has no security extension"
                : own && !isManagementAuthenticationEnabled() ? NOT_ENFORCED : null;
        if (config.management().changesEnabled() && endpoints.isPresent() && (open != null || !byCode)) {
            recorder.warnIfOpen(path(endpoints.get()),
                    own ? "quarkus.management.auth.permission." : "quarkus.http.auth.permission.",
                    own ? property(MANAGEMENT_ROOT, "/q") : property("quarkus.http.root-path", "/"), open);
        }
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
                    new Description(path(endpoints.get()), config.management().changesEnabled()), null));
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
    record Enabled(RedisBulkheadBuildTimeConfig config) implements BooleanSupplier {

        @Override
        public boolean getAsBoolean() {
            return config.management().enabled();
        }
    }

    /** Adds {@code openapi.yaml}, which describes the endpoint, to the document of the application. */
    record Description(String path, boolean changes) implements OASFilter {

        @Override
        public void filterOpenAPI(OpenAPI document) {
            OpenAPI endpoint = read();
            if (document.getComponents() == null) {
                document.setComponents(OASFactory.createComponents());
            }
            endpoint.getComponents().getSchemas().forEach(document.getComponents()::addSchema);
            if (document.getPaths() == null) {
                document.setPaths(OASFactory.createPaths());
            }
            endpoint.getTags().forEach(document::addTag);
            endpoint.getPaths().getPathItems().forEach((where, item) -> {
                if (changes || item.getGET() != null) {
                    document.getPaths().addPathItem(path + where.substring(PATH_IN_DOCUMENT.length()), item);
                }
            });
        }

        private static OpenAPI read() {
            try (InputStream file = ManagementProcessor.class.getResourceAsStream("openapi.yaml")) {
                return OpenApiParser.parse(file, Format.YAML, null);
            } catch (IOException e) {
                throw new UncheckedIOException("The OpenAPI document of the management endpoint cannot be read", e);
            }
        }
    }
}
