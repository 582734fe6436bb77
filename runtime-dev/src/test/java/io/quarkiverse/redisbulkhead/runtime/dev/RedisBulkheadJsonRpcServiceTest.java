package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.StateJson;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    final LocalBulkheads bulkheads = new LocalBulkheads();
    final ManualTime time = new ManualTime();
    final RedisBulkheadJsonRpcService service = new RedisBulkheadJsonRpcService(bulkheads.overview, bulkheads,
            time.ticks());

    private static <T> T answer(Uni<T> uni) {
        return uni.await().indefinitely();
    }

    /** Tools cannot leave the key out. */
    @Test
    void anEmptyTextIsNoKeyForTools() {
        assertThat(answer(service.resize("reports", "", 7)).done()).isTrue();
        assertThat(answer(service.resetSize("reports", "")).done()).isTrue();

        assertThat(answer(service.resize("pages", "", 7)).message()).contains("has one limit for each key");
    }

    @Test
    void anEmptyTextIsAKeyForPages() {
        String permit = bulkheads.take("pages", "");

        assertThat(answer(service.resizeShown("pages", "", 7)).done()).isTrue();
        assertThat(bulkheads.limits("pages").get(0).limit()).hasValue(7);
        assertThat(answer(service.resetSizeShown("pages", "")).done()).isTrue();
        assertThat(answer(service.revokeShown("pages", "", permit)).done()).isTrue();

        assertThat(answer(service.resizeShown("reports", null, 7)).done()).isTrue();
    }

    @Test
    void toolsSeeWhatTheyHaveChanged() {
        assertThat(limitOfReports()).isEqualTo(5);

        answer(service.resize("reports", "", 7));

        assertThat(limitOfReports()).isEqualTo(7);
    }

    @Test
    void holdersHaveFencingTokens() {
        bulkheads.take("reports");

        JsonObject holder = answer(service.holders("reports", "")).getJsonArray("holders").getJsonObject(0);

        assertThat(holder.getValue("fencingToken")).as("text").isInstanceOf(String.class);
        assertThat(holder.containsKey("ticket")).isFalse();
    }

    /** What the page reads is what the management endpoint answers, with more about time. */
    @Test
    void pagesReadTheFormOfTheManagementEndpoint() {
        bulkheads.take("reports");

        JsonObject page = service.watch().toUni().await().indefinitely();
        JsonArray history = (JsonArray) limitOf(page, "reports").remove("history");
        assertThat(history).hasSize(UseHistory.POINTS).last().isEqualTo(1);
        Instant.parse((String) page.remove("now"));
        Snapshot snapshot = bulkheads.overview.snapshot(10).toCompletableFuture().join();
        JsonObject endpoint = new StateJson(bulkheads.overview.declared()).all(snapshot, 10);

        assertThat(page.fieldNames()).isEqualTo(endpoint.fieldNames());
        assertThat(page.getJsonArray("bulkheads")).isEqualTo(endpoint.getJsonArray("bulkheads"));
    }

    /** The numbers tell how many there are; a model would read thousands of rows. */
    @Test
    void theListForToolsHasNoHolders() {
        bulkheads.take("reports");

        JsonObject limit = limitOf(answer(service.bulkheads()), "reports");

        assertThat(limit.getInteger("inUse")).isEqualTo(1);
        assertThat(limit.fieldNames()).doesNotContain("holders", "waiters", "history");
    }

    private int limitOfReports() {
        return limitOf(answer(service.bulkheads()), "reports").getInteger("limit");
    }

    private static JsonObject limitOf(JsonObject state, String name) {
        return state.getJsonArray("bulkheads").stream().map(JsonObject.class::cast)
                .filter(bulkhead -> bulkhead.getString("name").equals(name)).findFirst().orElseThrow()
                .getJsonArray("limits").stream().map(JsonObject.class::cast).findFirst().orElse(null);
    }
}
