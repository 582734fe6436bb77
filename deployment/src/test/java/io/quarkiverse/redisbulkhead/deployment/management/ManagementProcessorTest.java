package io.quarkiverse.redisbulkhead.deployment.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import jakarta.enterprise.event.Observes;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.jboss.jandex.Index;
import org.jboss.jandex.IndexView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.deployment.FixedConfiguration;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.vertx.http.deployment.spi.FrameworkEndpointsBuildItem;
import io.quarkus.vertx.http.deployment.spi.RouteBuildItem;
import io.quarkus.vertx.http.deployment.spi.UseManagementInterfaceBuildItem;
import io.quarkus.vertx.http.security.HttpSecurity;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;

/** How the build applies the configuration of the endpoint. */
class ManagementProcessorTest {

    private static final String ENABLED = "quarkus.redis-bulkhead.management.enabled";
    private static final String CHANGES = "quarkus.redis-bulkhead.management.changes-enabled";

    final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        vertx.close();
    }

    @Test
    void changesAreDisabledByDefault() {
        assertThat(routes("false")).containsExactly("[GET] /redis-bulkhead", "[GET] /redis-bulkhead/:name");
        assertThat(routes("true")).containsExactly("[GET] /redis-bulkhead", "[GET] /redis-bulkhead/:name",
                "[DELETE] /redis-bulkhead/:name/permits/:permitId", "[PUT] /redis-bulkhead/:name/limit",
                "[DELETE] /redis-bulkhead/:name/limit");
    }

    @Test
    void warnsAboutChangesOnly() throws Exception {
        assertThat(warnings("false")).isEmpty();
        assertThat(warnings("true")).containsExactly("/q/redis-bulkhead quarkus.http.auth.permission. / NOT");
        assertThat(warnings("true", Capability.SECURITY))
                .containsExactly("/q/redis-bulkhead quarkus.http.auth.permission. / BY_CONFIGURATION");
    }

    /** The management interface ignores permissions while its authentication is off, which is the default. */
    @Test
    void managementInterfaceIsOpenWithoutAuthentication() throws Exception {
        assertThat(warnings("true", Optional.of(new UseManagementInterfaceBuildItem()), Index.of(List.of()),
                Capability.SECURITY))
                .singleElement().asString().contains("quarkus.management.auth.permission.").endsWith("NOT_ENFORCED");
    }

    /** Such code cannot be asked which paths it covers. */
    @Test
    void codeThatUsesHttpSecurityMaySecureTheEndpoint() throws Exception {
        assertThat(warnings("true", Optional.empty(), Index.of(Secures.class), Capability.SECURITY)).singleElement().asString()
                .endsWith("BY_CODE");
        assertThat(warnings("true", Optional.empty(), Index.of(ManagementProcessorTest.class), Capability.SECURITY))
                .singleElement().asString().endsWith("BY_CONFIGURATION");
    }

    static class Secures {

        void paths(@Observes HttpSecurity security) {
            security.path("/q/*").authorization().roles("operator");
        }
    }

    @Test
    void documentFollowsPathAndConfiguration() {
        OpenAPI document = OASFactory.createOpenAPI();
        new ManagementDescription("/manage/redis-bulkhead", false).filterOpenAPI(document);

        assertThat(document.getPaths().getPathItems()).containsOnlyKeys("/manage/redis-bulkhead",
                "/manage/redis-bulkhead/{name}");
        assertThat(document.getPaths().getPathItem("/manage/redis-bulkhead").getGET().getParameters()).singleElement()
                .satisfies(most -> {
                    assertThat(most.getSchema().getDefaultValue()).hasToString("" + ManagementEndpoint.USUALLY_LISTED);
                    assertThat(most.getSchema().getMaximum()).hasToString("" + ManagementEndpoint.MOST_LISTED);
                });
    }

    private List<String> routes(String changes) {
        List<RouteBuildItem> routes = new ArrayList<>();
        new ManagementProcessor().routes(new ManagementRecorder(), config(changes),
                new Capabilities(Set.of(Capability.VERTX_HTTP)), routes::add);
        return routes.stream().map(this::text).toList();
    }

    private String text(RouteBuildItem item) {
        Route route = Router.router(vertx).route("/" + item.getPath());
        item.getCustomizer().accept(route);
        return route.methods() + " " + route.getPath();
    }

    private static List<String> warnings(String changes, String... capabilities) throws Exception {
        return warnings(changes, Optional.empty(), Index.of(List.of()), capabilities);
    }

    private static List<String> warnings(String changes, Optional<UseManagementInterfaceBuildItem> managementInterface,
            IndexView index, String... capabilities) throws Exception {
        List<String> warnings = new ArrayList<>();
        new ManagementProcessor().warnIfOpen(new ManagementRecorder() {

            @Override
            public void warnIfOpen(String path, String group, String root, Secured secured) {
                warnings.add(String.join(" ", path, group, root, secured.name()));
            }
        }, config(changes), new Capabilities(Set.of(capabilities)), new CombinedIndexBuildItem(index, index),
                Optional.of(new FrameworkEndpointsBuildItem(Set.of("/q/health", "/q/redis-bulkhead"))), managementInterface);
        return warnings;
    }

    private static RedisBulkheadBuildTimeConfig config(String changes) {
        return FixedConfiguration.of(Map.of(ENABLED, "true", CHANGES, changes));
    }
}
