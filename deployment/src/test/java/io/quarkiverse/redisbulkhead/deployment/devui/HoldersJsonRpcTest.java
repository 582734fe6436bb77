package io.quarkiverse.redisbulkhead.deployment.devui;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.devui.tests.DevUIJsonRPCTest;
import io.quarkus.test.QuarkusDevModeTest;

class HoldersJsonRpcTest extends DevUIJsonRPCTest {

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest().withApplicationRoot(jar -> jar.addClass(Guarded.class));

    HoldersJsonRpcTest() {
        super("quarkus-redis-bulkhead");
    }

    @Test
    void tellsEveryBulkhead() throws Exception {
        JsonNode snapshot = executeJsonRPCMethod("snapshot");

        assertThat(snapshot.get("error")).isNull();
        JsonNode bulkhead = snapshot.get("bulkheads").get(0);
        assertThat(bulkhead.get("name").asText()).isEqualTo("reports");
        assertThat(bulkhead.get("limit").asInt()).isEqualTo(5);
        assertThat(bulkhead.get("inUse").asInt()).isZero();
        assertThat(bulkhead.get("holders")).isEmpty();
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 5)
        void render() {
        }
    }
}
