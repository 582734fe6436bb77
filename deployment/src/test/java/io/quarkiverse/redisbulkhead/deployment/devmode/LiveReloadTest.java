package io.quarkiverse.redisbulkhead.deployment.devmode;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import io.quarkus.test.QuarkusDevModeTest;
import io.restassured.common.mapper.TypeRef;

/** Trap 27: every annotated shape is guarded before and after live reloads, with the current values of its annotations. */
class LiveReloadTest {

    private static final int PORT = RedisProcess.freePort();

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest().withApplicationRoot(
            jar -> jar.addClasses(ShapesResource.class, Shapes.class).addClasses(Shapes.class.getDeclaredClasses())
                    .addAsResource(new StringAsset("""
                            quarkus.http.port=%d
                            quarkus.rest-client.inside.url=http://localhost:${quarkus.http.port}
                            quarkus.redis-bulkhead.command-timeout=10s
                            """.formatted(PORT)), "application.properties"))
            .setLogRecordPredicate(line -> String.valueOf(line.getMessage()).contains("different limits"));

    private static final Map<String, String> AS_WRITTEN = Map.ofEntries(
            Map.entry("a method", "method 1/3"),
            Map.entry("several bulkheads", "narrow 1/3, wide 1/3"),
            Map.entry("a Uni", "uni 1/3"),
            Map.entry("a nested call", "nested 2/2"),
            Map.entry("a key", "keyed one 1/3"),
            Map.entry("a resolved key", "resolved tenant 1/3"),
            Map.entry("will be added", ""),
            Map.entry("will be removed", "removed 1/3"),
            Map.entry("an inherited class", "class 1/3"),
            Map.entry("an inherited method", "inherited 1/3"),
            Map.entry("a generic superclass", "generic superclass 1/3"),
            Map.entry("an interface", "interface 1/3"),
            Map.entry("a REST client's method", "client method 1/3"),
            Map.entry("a REST client's interface", "client interface 1/3"));

    @Test
    void guardsEveryShapeAfterReloads() {
        assertThat(held()).as("as started").containsExactlyInAnyOrderEntriesOf(AS_WRITTEN);

        APP.modifySourceFile(Shapes.class, source -> source
                .replace("permits = 3", "permits = 4")
                .replace("String added()", "@RedisBulkhead(name = \"added\", permits = 5) String added()")
                .replace("@RedisBulkhead(name = \"removed\", permits = 4)", "")
                .replace("@BulkheadKey String one, String other", "String one, @BulkheadKey String other")
                .replace("ResolvedKey.of(\"tenant\")", "ResolvedKey.of((String) call.arguments().get(0))")
                .replace("permits = 2", "permits = 1"));
        Map<String, String> expected = new TreeMap<>(AS_WRITTEN);
        expected.replaceAll((shape, held) -> held.replace("/3", "/4"));
        expected.put("a key", "keyed other 1/4");
        expected.put("a resolved key", "resolved one 1/4");
        expected.put("will be added", "added 1/5");
        expected.put("will be removed", "");
        expected.put("a nested call", "CallRejectedException");
        assertThat(held()).as("with other limits, an annotation more, one less, other keys, and too few permits")
                .containsExactlyInAnyOrderEntriesOf(expected);
        assertThat(APP.getLogRecords()).as("limits agree within one process")
                .filteredOn(line -> line.getLevel().intValue() >= Level.WARNING.intValue()).isEmpty();

        killRedis();
        APP.modifySourceFile(ShapesResource.class, source -> source.replace("\"a nested call\"", "\"a call within\""));
        expected.put("a call within", expected.remove("a nested call"));
        assertThat(held()).as("after the change of another class, with a new embedded Redis, because the old one died")
                .containsExactlyInAnyOrderEntriesOf(expected);
    }

    private static void killRedis() {
        List<ProcessHandle> servers = ProcessHandle.current().descendants()
                .filter(process -> process.info().command().orElse("").contains("redis")).toList();
        assertThat(servers).isNotEmpty();
        servers.forEach(server -> {
            server.destroyForcibly();
            server.onExit().join();
        });
    }

    private static Map<String, String> held() {
        return given().port(PORT).get("/shapes").then().statusCode(200).extract().as(new TypeRef<>() {
        });
    }
}
