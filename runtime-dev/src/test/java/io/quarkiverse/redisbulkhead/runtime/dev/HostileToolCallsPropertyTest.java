package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.dev.RedisBulkheadJsonRpcService.Outcome;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever the arguments of the Dev UI's methods: each call returns JSON, and changes only its target. */
class HostileToolCallsPropertyTest {

    private static final int USUAL_LIMIT = 5;

    final LocalBulkheads bulkheads = new LocalBulkheads();
    final RedisBulkheadJsonRpcService service = new RedisBulkheadJsonRpcService(bulkheads.overview, name -> List.of(),
            Multi.createFrom().nothing(), InstantSource.system());

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> words = Arbitraries
                .of("", "reports", "pages", "lock:", "<b>", "\n", "\0", "%:", "\uD83D", "ü", " ", "'", "{", "}")
                .list().ofMaxSize(4).map(all -> String.join("", all));
        return Arbitraries.oneOf(words, Arbitraries.strings().all().ofMaxLength(10), Arbitraries.of("x".repeat(100_000)))
                .injectNull(0.05);
    }

    @Property(tries = 100)
    void everyCallReturnsJsonAndAffectsOnlyItsTarget(@ForAll("texts") String bulkhead, @ForAll("texts") String key,
            @ForAll("texts") String permit, @ForAll("limits") Integer permits) {
        String mine = bulkheads.take("reports");
        for (Uni<JsonObject> answer : List.of(service.holders(bulkhead, key), service.waiters(bulkhead, key),
                service.bulkheads())) {
            JsonObject json = answer.await().indefinitely();
            assertThat(new JsonObject(json.encode())).isEqualTo(json);
        }
        for (Uni<Outcome> answer : List.of(service.revoke(bulkhead, key, permit), service.resize(bulkhead, key, permits),
                service.resetSize(bulkhead, key))) {
            assertThat(answer.await().indefinitely().message()).isNotBlank();
        }
        if (!"reports".equals(bulkhead)) {
            assertThat(bulkheads.limits("reports").get(0)).satisfies(limit -> {
                assertThat(limit.limit()).hasValue(USUAL_LIMIT);
                assertThat(limit.now().holders()).anyMatch(holder -> holder.permitId().equals(mine));
            });
        }
        assertThat(service.revoke("reports", null, mine).await().indefinitely().done()).isTrue();
    }

    @Provide
    Arbitrary<Integer> limits() {
        return Arbitraries.integers().injectNull(0.05);
    }

    /** Held permits are returned unchanged. */
    @Property(tries = 100)
    void returnsKeysUnchanged(@ForAll("keys") String key) {
        String permit = bulkheads.take("pages", key);

        bulkheads.passASecond();
        JsonObject told = service.holders("pages", key).await().indefinitely();

        assertThat(new JsonObject(told.toBuffer()).getJsonArray("holders")).hasSize(1);
        assertThat(service.revoke("pages", key, permit).await().indefinitely().done()).isTrue();
    }

    @Provide
    Arbitrary<String> keys() {
        return texts().filter(text -> text != null && !text.isEmpty());
    }
}
