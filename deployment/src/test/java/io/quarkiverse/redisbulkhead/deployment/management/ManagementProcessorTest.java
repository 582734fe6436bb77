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

import io.quarkiverse.redisbulkhead.deployment.Mapped;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
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

    private static final Optional<UseManagementInterfaceBuildItem> NOT_OWN = Optional.empty();
    private static final List<Class<?>> NOTHING = List.of();

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
        assertThat(warnings("false", NOT_OWN, NOTHING)).isEmpty();
        assertThat(warnings("true", NOT_OWN, NOTHING)).containsExactly(
                "/q/redis-bulkhead quarkus.http.auth.permission. / the application has no security extension");
        assertThat(warnings("true", NOT_OWN, NOTHING, Capability.SECURITY))
                .containsExactly("/q/redis-bulkhead quarkus.http.auth.permission. / null");
    }

    /** The management interface ignores permissions while its authentication is off, which is the default. */
    @Test
    void managementInterfaceIsOpenWithoutAuthentication() throws Exception {
        assertThat(warnings("true", Optional.of(new UseManagementInterfaceBuildItem()), NOTHING, Capability.SECURITY))
                .singleElement().asString()
                .contains("quarkus.management.auth.permission.", "Set quarkus.management.auth.basic=true");
    }

    /** Such code cannot be asked which paths it covers. */
    @Test
    void codeThatUsesHttpSecurityMaySecureTheEndpoint() throws Exception {
        assertThat(warnings("true", NOT_OWN, List.of(Secures.class), Capability.SECURITY)).isEmpty();
        assertThat(warnings("true", NOT_OWN, List.of(ManagementProcessorTest.class), Capability.SECURITY)).hasSize(1);
    }

    static class Secures {

        void paths(@Observes HttpSecurity security) {
            security.path("/q/*").authorization().roles("operator");
        }
    }

    @Test
    void documentFollowsPathAndConfiguration() {
        OpenAPI document = OASFactory.createOpenAPI();
        new ManagementProcessor.Description("/manage/redis-bulkhead", false).filterOpenAPI(document);

        assertThat(document.getPaths().getPathItems()).containsOnlyKeys("/manage/redis-bulkhead",
                "/manage/redis-bulkhead/{name}");
        assertThat(document.getPaths().getPathItem("/manage/redis-bulkhead").getGET().getParameters()).singleElement()
                .satisfies(most -> {
                    assertThat(most.getSchema().getDefaultValue()).hasToString("" + ManagementEndpoint.USUALLY_LISTED);
                    assertThat(most.getSchema().getMaximum()).hasToString("" + Overview.MOST_LISTED);
                });
    }

    private List<String> routes(String changes) {
        List<RouteBuildItem> routes = new ArrayList<>();
        new ManagementProcessor().routes(new ManagementEndpoint(), config(changes),
                new Capabilities(Set.of(Capability.VERTX_HTTP)), routes::add);
        return routes.stream().map(this::text).toList();
    }

    private String text(RouteBuildItem item) {
        Route route = Router.router(vertx).route("/" + item.getPath());
        item.getCustomizer().accept(route);
        return route.methods() + " " + route.getPath();
    }

    private static List<String> warnings(String changes, Optional<UseManagementInterfaceBuildItem> managementInterface,
            List<Class<?>> application, String... capabilities) throws Exception {
        List<String> warnings = new ArrayList<>();
        IndexView index = Index.of(application);
        new ManagementProcessor().warnIfOpen(new ManagementEndpoint() {

            @Override
            public void warnIfOpen(String path, String permissions, String root, String open) {
                warnings.add(String.join(" ", path, permissions, root, open));
            }
        }, config(changes), new Capabilities(Set.of(capabilities)), new CombinedIndexBuildItem(index, index),
                Optional.of(new FrameworkEndpointsBuildItem(Set.of("/q/health", "/q/redis-bulkhead"))), managementInterface);
        return warnings;
    }

    private static RedisBulkheadBuildTimeConfig config(String changes) {
        return Mapped.config(RedisBulkheadBuildTimeConfig.class, Map.of(ENABLED, "true", CHANGES, changes));
    }
}
