package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.dev.RedisBulkheadJsonRpcService.Outcome;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

class RedisBulkheadJsonRpcServiceTest {

    final LocalBulkheads bulkheads = new LocalBulkheads();
    final List<MultiEmitter<? super Long>> pages = new CopyOnWriteArrayList<>();
    final RedisBulkheadJsonRpcService service = new RedisBulkheadJsonRpcService(bulkheads.overview, name -> List.of(),
            Multi.createFrom().emitter(page -> {
                pages.add(page.onTermination(() -> pages.remove(page)));
                page.emit(0L);
            }), InstantSource.system());

    private static <T> T answer(Uni<T> uni) {
        return uni.await().indefinitely();
    }

    private AssertSubscriber<JsonObject> page() {
        return service.watch().subscribe().withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));
    }

    private void passASecond() {
        bulkheads.passASecond();
        pages.forEach(page -> page.emit(0L));
    }

    @Test
    void readsOnceASecondForAnyNumberOfPages() {
        assertThat(bulkheads.reads).isZero();
        List<AssertSubscriber<JsonObject>> open = List.of(page(), page(), page());
        passASecond();
        passASecond();

        assertThat(bulkheads.reads).isEqualTo(1 + 2);
        assertThat(open).allSatisfy(page -> assertThat(page.getItems()).hasSize(1 + 2));
    }

    /** The Dev UI does not unsubscribe when a browser is closed. */
    @Test
    void subscriptionsEnd() {
        AssertSubscriber<JsonObject> page = page();
        for (int i = 1; i < RedisBulkheadJsonRpcService.STATES; i++) {
            page.assertNotTerminated();
            passASecond();
        }

        page.assertCompleted();
        assertThat(pages).isEmpty();
    }

    /** The application is reloaded. */
    @Test
    void subscriptionsEndWithTheApplication() {
        AssertSubscriber<JsonObject> page = page();
        service.stop();
        passASecond();

        page.assertCompleted();
        assertThat(pages).isEmpty();
    }

    @Test
    void outageShowsTheLastState() {
        AssertSubscriber<JsonObject> page = page();
        bulkheads.failure = new StoreException(Kind.AWAY, "Redis cannot be reached");
        passASecond();

        assertThat(page.getLastItem().getString("error")).isEqualTo("Redis cannot be reached");
        assertThat(page.getLastItem().getString("at")).isEqualTo(page.getItems().get(0).getString("at"));
        assertThat(limitOf(page.getLastItem(), "reports").getInteger("limit")).isEqualTo(5);
        assertThat(answer(service.revoke("elsewhere", "", "p")).message()).isEqualTo("Redis cannot be reached");

        bulkheads.failure = null;
        passASecond();
        assertThat(page.getLastItem().containsKey("error")).isFalse();
    }

    @Test
    void outageFromTheStartHasNoState() {
        bulkheads.failure = new StoreException(Kind.AWAY, "Redis cannot be reached");

        assertThat(page().getLastItem().fieldNames()).containsExactlyInAnyOrder("error", "now");
    }

    @Test
    void revokes() {
        String permit = bulkheads.take("reports");

        assertThat(answer(service.revoke("reports", "", permit)).message()).contains(permit,
                "immediately, or with its next renewal");
        assertThat(bulkheads.limits("reports")).extracting(limit -> limit.now().inUse()).containsExactly(0);
        assertThat(answer(service.revoke("reports", "", permit)))
                .isEqualTo(new Outcome(false, "The permit " + permit + " is no longer held"));
    }

    @Test
    void resizesAndResets() {
        assertThat(answer(service.resetSize("reports", ""))).isEqualTo(
                new Outcome(false, "The limit of 'reports' was not resized"));
        assertThat(answer(service.resize("reports", null, 7))).isEqualTo(
                new Outcome(true, "The limit of 'reports' is now 7 for all applications"));
        assertThat(bulkheads.limits("reports").get(0).limit()).hasValue(7);
        assertThat(answer(service.resetSize("reports", null)).done()).isTrue();
        assertThat(bulkheads.limits("reports").get(0).limit()).hasValue(5);

        assertThat(answer(service.resize("pages", "", 7)).message()).contains("has one limit for each key");
    }

    @Test
    void missingValuesAreNamed() {
        assertThat(answer(service.resize(null, "", 7))).isEqualTo(new Outcome(false, "bulkhead is missing"));
        assertThat(answer(service.resize("reports", "", null))).isEqualTo(new Outcome(false, "permits is missing"));
        assertThat(answer(service.revoke("reports", "", null))).isEqualTo(new Outcome(false, "permitId is missing"));
        assertThat(answer(service.holders(null, "")).getString("error")).isEqualTo("bulkhead is missing");
    }

    @Test
    void toolsRefuseUnknownBulkheads() {
        assertThat(List.of(answer(service.holders("report", null)), answer(service.waiters("report", "a"))))
                .allSatisfy(json -> assertThat(json.getString("error")).contains("Did you mean 'reports'?"));
        assertThat(List.of(answer(service.revoke("report", "", "p")), answer(service.resize("report", "", 7)),
                answer(service.resetSize("report", ""))))
                .allSatisfy(outcome -> assertThat(outcome.message()).contains("Did you mean 'reports'?"));
    }

    @Test
    void listsAllKeysWithoutAKey() {
        bulkheads.take("pages", "a");
        bulkheads.take("pages", "b");

        bulkheads.passASecond();
        assertThat(holdersOf("pages", null)).extracting(holder -> holder.getString("key")).containsExactly("a", "b");
        assertThat(holdersOf("pages", "b")).extracting(holder -> holder.getString("key")).containsExactly("b");
        assertThat(holdersOf("pages", "c")).isEmpty();
        assertThat(answer(service.holders("reports", "a")).getString("error"))
                .contains("has one limit for all calls. Omit the key");
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

        JsonObject page = page().getLastItem();

        assertThat(limitOf(page, "reports").getInteger("lost")).as("without the revoked one").isEqualTo(1);
    }

    /** Pages read the same format as the management endpoint returns, with more about the time. */
    @Test
    void pagesUseTheFormatOfTheManagementEndpoint() {
        bulkheads.take("reports");

        JsonObject page = page().getLastItem();

        JsonObject limit = limitOf(page, "reports");
        assertThat((JsonArray) limit.remove("history")).hasSize(RecentUse.POINTS).last().isEqualTo(1);
        limit.remove("lost");
        page.remove("now");
        assertThat(page).isEqualTo(bulkheads.overview.snapshot().await().indefinitely().json(10));
    }

    /** Counts are enough; a model would read thousands of rows. */
    @Test
    void listForToolsHasNoHolders() {
        bulkheads.take("reports");

        JsonObject limit = limitOf(answer(service.bulkheads()), "reports");

        assertThat(limit.getInteger("inUse")).isEqualTo(1);
        assertThat(limit.fieldNames()).doesNotContain("holders", "waiters", "history");
    }

    private static JsonObject named(JsonObject state, String name) {
        return state.getJsonArray("bulkheads").stream().map(JsonObject.class::cast)
                .filter(bulkhead -> bulkhead.getString("name").equals(name)).findFirst().orElseThrow();
    }

    private static JsonObject limitOf(JsonObject state, String name) {
        return named(state, name).getJsonArray("limits").stream().map(JsonObject.class::cast).findFirst().orElse(null);
    }
}
