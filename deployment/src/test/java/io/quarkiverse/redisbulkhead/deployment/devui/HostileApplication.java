package io.quarkiverse.redisbulkhead.deployment.devui;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkus.redis.datasource.RedisDataSource;
import io.vertx.core.Vertx;

/** Markup wherever a text can be set: in an annotation, by writing to Redis, and in the answers of another instance. */
@Path("/demo/hostile")
public class HostileApplication {

    /** Leaves traces if a page renders it as markup. */
    public static final String MARKUP = "<img src=x onerror=document.title='broken'><b class=injected>bold</b>";
    /** The same without spaces, which names of instances cannot have. */
    public static final String MARKUP_AS_NAME = "<img/src=x/onerror=document.title='broken'><b/class=injected>bold</b>";

    private static final String SHARES = "redis-bulkhead:{" + MARKUP + "}:shares";

    private static volatile OtherInstance other;

    @Inject
    Vertx vertx;
    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;
    @Inject
    RedisDataSource redis;

    /** An instance answers with nothing but markup. */
    @POST
    public void hold() {
        other = new OtherInstance(vertx, hosts, MARKUP, MARKUP);
        other.begin(SemaphoreSpec.named(MARKUP).permits(3).expire(Duration.ofMinutes(2)).build(), MARKUP);
        String text = "=" + URLEncoder.encode(MARKUP, StandardCharsets.UTF_8);
        other.answerWith("1 0 " + text + "\n" + String.join(" ", "HELD", text, "7", "1", text, text, text, "0", "60000"));
    }

    /** Its share is then that of an instance which does not answer, and whose name is markup. */
    @POST
    @Path("/silent")
    public void silence() {
        redis.execute("HSET", SHARES, "i:" + MARKUP_AS_NAME, redis.execute("HGET", SHARES, "i:" + other.name()).toString());
        other.close();
    }

    @ApplicationScoped
    public static class Declared {
        @RedisBulkhead(name = MARKUP, permits = 3)
        public void call() {
        }
    }
}
