package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** What the Dev UI asks. In dev mode only. */
public class RedisBulkheadJsonRpcService {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final RedisBulkheads bulkheads;

    /**
     * Creates the service.
     *
     * @param bulkheads all bulkheads of the application
     */
    @Inject
    public RedisBulkheadJsonRpcService(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    /**
     * All bulkheads with their current holders, once a second for as long as somebody looks.
     *
     * @return objects with an array {@code bulkheads}, or with a text {@code error} when Redis gives no answer
     */
    public Multi<JsonObject> watch() {
        return Multi.createFrom().ticks().every(PERIOD)
                .onOverflow().drop()
                .onItem().transformToUniAndConcatenate(tick -> snapshot());
    }

    /**
     * All bulkheads with their current holders.
     *
     * @return an object with an array {@code bulkheads}, or with a text {@code error} when Redis gives no answer
     */
    public Uni<JsonObject> snapshot() {
        List<Uni<JsonObject>> rows = bulkheads.names().stream().map(bulkheads::semaphore).map(this::row).toList();
        if (rows.isEmpty()) {
            return Uni.createFrom().item(new JsonObject().put("bulkheads", new JsonArray()));
        }
        return Uni.join().all(rows).andFailFast()
                .map(all -> new JsonObject().put("bulkheads", new JsonArray(all)))
                .onFailure().recoverWithItem(failure -> new JsonObject().put("error", failure.getMessage()));
    }

    private Uni<JsonObject> row(RedisSemaphore semaphore) {
        if (semaphore.needsKey()) {
            return Uni.createFrom().item(row(semaphore.spec()).put("keyed", true));
        }
        return Uni.combine().all().unis(semaphore.statusAsync(), semaphore.holdersAsync())
                .with((status, holders) -> row(semaphore.spec(), status, holders));
    }

    private static JsonObject row(SemaphoreSpec spec, SemaphoreStatus status, List<Holder> holders) {
        JsonArray held = new JsonArray();
        for (Holder holder : holders) {
            held.add(new JsonObject()
                    .put("permitId", holder.permitId())
                    .put("application", holder.application())
                    .put("instance", holder.instance())
                    .put("method", holder.method())
                    // As text: a ticket has more digits than some browsers' formatting keeps.
                    .put("ticket", Long.toString(holder.ticket()))
                    .put("since", holder.since().toString())
                    .put("until", holder.until().toString()));
        }
        return row(spec)
                .put("limit", status.limit())
                .put("inUse", status.inUse())
                .put("waiting", status.waiting())
                .put("holders", held);
    }

    private static JsonObject row(SemaphoreSpec spec) {
        return new JsonObject()
                .put("name", spec.name())
                .put("limit", spec.permits())
                .put("fair", spec.fair())
                .put("expire", spec.expire().toString());
    }
}
