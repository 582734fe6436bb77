package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.StateJson;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    final LocalBulkheads bulkheads = new LocalBulkheads();
    final ManualTime time = new ManualTime();
    final RedisBulkheadJsonRpcService service = new RedisBulkheadJsonRpcService(bulkheads.overview, bulkheads,
            bulkheads::undeclared, time.ticks());

    private static <T> T answer(Uni<T> uni) {
        return uni.await().indefinitely();
    }

    @Test
    void toolsMayOmitTheKeyOrLeaveItEmpty() {
        assertThat(answer(service.resize("reports", "", 7)).done()).isTrue();
        assertThat(answer(service.resetSize("reports", "")).done()).isTrue();

        assertThat(answer(service.resize("reports", (String) null, 7)).done()).isTrue();
        assertThat(answer(service.resetSize("reports", (String) null)).done()).isTrue();

        assertThatThrownBy(() -> answer(service.resize("pages", "", 7))).hasMessageContaining("has one limit for each key");
    }

    @Test
    void pagesTreatEmptyTextAsAKey() {
        String permit = bulkheads.take("pages", "");

        assertThat(answer(service.resizeShown("pages", "", 7)).done()).isTrue();
        assertThat(bulkheads.limits("pages").get(0).limit()).hasValue(7);
        assertThat(answer(service.resetSizeShown("pages", "")).done()).isTrue();
        assertThat(answer(service.revokeShown("pages", "", permit)).done()).isTrue();

        assertThat(answer(service.resizeShown("reports", null, 7)).done()).isTrue();
    }

    @Test
    void toolsFailForUnknownBulkheads() {
        for (Uni<?> tool : List.of(service.holders("report", (String) null), service.waiters("report", "a"),
                service.revoke("report", "", "p"), service.resize("report", "", 7), service.resetSize("report", ""))) {
            assertThatThrownBy(() -> answer(tool)).isInstanceOf(WrongTargetException.class)
                    .hasMessageContaining("Did you mean 'reports'?");
        }
        assertThat(answer(service.resizeShown("report", null, 7)).done()).as("pages show it").isFalse();
    }

    @Test
    void listsAllKeysWithoutAKey() {
        bulkheads.take("pages", "a");
        bulkheads.take("pages", "b");

        assertThat(holdersOf("pages", null)).extracting(holder -> holder.getString("key")).containsExactly("a", "b");
        assertThat(holdersOf("pages", "b")).extracting(holder -> holder.getString("key")).containsExactly("b");
        assertThat(holdersOf("pages", "c")).isEmpty();
    }

    @Test
    void keyOfAnUnkeyedBulkheadIsAnError() {
        bulkheads.take("reports");

        for (Uni<?> tool : List.of(service.holders("reports", "a"), service.waiters("reports", "a"))) {
            assertThatThrownBy(() -> answer(tool)).isInstanceOf(WrongTargetException.class)
                    .hasMessageContaining("has one limit for all calls. Omit the key");
        }
    }

    private List<JsonObject> holdersOf(String bulkhead, String key) {
        return answer(service.holders(bulkhead, key)).getJsonArray("holders").stream().map(JsonObject.class::cast).toList();
    }

    @Test
    void pagesCountLostPermitsForFiveMinutes() {
        bulkheads.take("reports");
        service.onLost(new PermitLost("reports", Optional.empty(), "p", 1, "Job#run", PermitLost.Reason.GONE));
        service.onLost(new PermitLost("reports", Optional.empty(), "q", 2, "Job#run", PermitLost.Reason.REVOKED));
        service.onLost(new PermitLost("pages", Optional.of("a"), "p", 1, "Job#run", PermitLost.Reason.GONE));

        JsonObject page = service.watch().toUni().await().indefinitely();

        assertThat(limitOf(page, "reports").getInteger("lost")).as("without the revoked one").isEqualTo(1);
    }

    /** The definition is known, although no annotation declares it. */
    @Test
    void listsDefinitionsOfBulkheadsInCode() {
        bulkheads.take("in code");
        bulkheads.take("elsewhere");
        bulkheads.inCode.put("in code", SemaphoreSpec.named("in code").permits(5).weight(2).maxWaiters(3).build());

        JsonObject inCode = named(answer(service.bulkheads()), "in code");
        assertThat(inCode.getBoolean("declared")).isFalse();
        assertThat(inCode.getBoolean("definedInCode")).isTrue();
        assertThat(inCode.getJsonObject("definition").getInteger("weight")).isEqualTo(2);
        assertThat(inCode.getJsonObject("definition").getInteger("maxWaiters")).isEqualTo(3);
        assertThat(named(answer(service.bulkheads()), "elsewhere").getBoolean("definedInCode")).isFalse();
        assertThat(named(answer(service.bulkheads()), "reports").getBoolean("definedInCode")).isFalse();
    }

    @Test
    void toolsSeeTheirOwnChanges() {
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

    /** Pages read the same format as the management endpoint returns, with more timestamps. */
    @Test
    void pagesUseTheFormatOfTheManagementEndpoint() {
        bulkheads.take("reports");

        JsonObject page = service.watch().toUni().await().indefinitely();
        JsonArray history = (JsonArray) limitOf(page, "reports").remove("history");
        assertThat(history).hasSize(UseHistory.POINTS).last().isEqualTo(1);
        assertThat(((Number) limitOf(page, "reports").remove("lost")).intValue()).isZero();
        Instant.parse((String) page.remove("now"));
        Snapshot snapshot = bulkheads.overview.snapshot(10).toCompletableFuture().join();
        JsonObject endpoint = new StateJson(bulkheads.overview).all(snapshot, 10);
        // A permit of this process has no lease: it would end one lease from now.
        for (JsonObject each : List.of(page, endpoint)) {
            JsonObject holder = limitOf(each, "reports").getJsonArray("holders").getJsonObject(0);
            Instant.parse((String) holder.remove("until"));
        }

        assertThat(page.fieldNames()).isEqualTo(endpoint.fieldNames());
        assertThat(page.getJsonArray("bulkheads")).isEqualTo(endpoint.getJsonArray("bulkheads"));
    }

    /** Counts are enough; a model would read thousands of rows. */
    @Test
    void listForToolsHasNoHolders() {
        bulkheads.take("reports");

        JsonObject limit = limitOf(answer(service.bulkheads()), "reports");

        assertThat(limit.getInteger("inUse")).isEqualTo(1);
        assertThat(limit.fieldNames()).doesNotContain("holders", "waiters", "history");
    }

    private int limitOfReports() {
        return limitOf(answer(service.bulkheads()), "reports").getInteger("limit");
    }

    private static JsonObject named(JsonObject state, String name) {
        return state.getJsonArray("bulkheads").stream().map(JsonObject.class::cast)
                .filter(bulkhead -> bulkhead.getString("name").equals(name)).findFirst().orElseThrow();
    }

    private static JsonObject limitOf(JsonObject state, String name) {
        return named(state, name).getJsonArray("limits").stream().map(JsonObject.class::cast).findFirst().orElse(null);
    }
}
