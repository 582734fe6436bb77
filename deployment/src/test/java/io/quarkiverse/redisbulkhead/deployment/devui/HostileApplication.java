package io.quarkiverse.redisbulkhead.deployment.devui;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.redis.datasource.RedisDataSource;

/** Markup wherever a text can be set: in an annotation, and by writing to Redis. */
@Path("/demo/hostile")
public class HostileApplication {

    /** Leaves traces if a page renders it as markup. */
    public static final String MARKUP = "<img src=x onerror=document.title='broken'><b class=injected>bold</b>";

    private static final String START = "redis-bulkhead:{" + MARKUP + "}:";
    private static final int MINUTES = 60_000;

    @Inject
    RedisDataSource redis;

    /** Replaces all data of this holder in Redis by markup. */
    @POST
    public void hold() {
        long now = System.currentTimeMillis();
        redis.execute("ZADD", START + "holders", Long.toString(now + MINUTES), MARKUP);
        redis.execute("HSET", START + "state", MARKUP,
                String.join("\n", "7", Long.toString(now), "60000", "3", "holder", MARKUP,
                        MARKUP, MARKUP));
    }

    /** Removes it again. */
    @DELETE
    public void end() {
        redis.execute("DEL", START + "holders", START + "state");
    }

    @ApplicationScoped
    public static class Declared {

        @RedisBulkhead(name = MARKUP, permits = 3)
        public void call() {
        }
    }
}
