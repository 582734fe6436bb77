package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    final LocalBulkheads bulkheads = new LocalBulkheads();
    final ManualTime time = new ManualTime();
    final RedisBulkheadJsonRpcService service = new RedisBulkheadJsonRpcService(bulkheads.overview, bulkheads, time);

    private static JsonObject answer(Uni<JsonObject> uni) {
        return uni.await().indefinitely();
    }

    /** Tools cannot leave the key out. */
    @Test
    void anEmptyTextIsNoKeyForTools() {
        assertThat(answer(service.resize("reports", "", 7)).getBoolean("done")).isTrue();
        assertThat(answer(service.resetSize("reports", "")).getBoolean("done")).isTrue();

        assertThat(answer(service.resize("pages", "", 7)).getString("message")).contains("has one limit for each key");
    }

    @Test
    void anEmptyTextIsAKeyForPages() {
        String permit = bulkheads.take("pages", "");

        assertThat(answer(service.resizeShown("pages", "", 7)).getBoolean("done")).isTrue();
        assertThat(bulkheads.limits("pages").get(0).limit()).hasValue(7);
        assertThat(answer(service.resetSizeShown("pages", "")).getBoolean("done")).isTrue();
        assertThat(answer(service.revokeShown("pages", "", permit)).getBoolean("done")).isTrue();

        assertThat(answer(service.resizeShown("reports", null, 7)).getBoolean("done")).isTrue();
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

    private int limitOfReports() {
        return answer(service.bulkheads()).getJsonArray("bulkheads").stream().map(JsonObject.class::cast)
                .filter(bulkhead -> bulkhead.getString("name").equals("reports")).findFirst().orElseThrow()
                .getJsonArray("limits").getJsonObject(0).getInteger("limit");
    }
}
