package io.quarkiverse.redisbulkhead.deployment.devui;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.devui.runtime.spi.McpServerConfiguration;
import io.quarkus.redis.datasource.RedisDataSource;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.redis.client.Response;

/** The application behind the Dev UI: calls that run until the test ends them. */
@Path("/demo")
public class DemoApplication {

    private static volatile CountDownLatch gate = new CountDownLatch(1);
    private static final Queue<PermitLost> LOST = new ConcurrentLinkedQueue<>();
    private static final Queue<Permit> HELD = new ConcurrentLinkedQueue<>();

    @Inject
    Reports reports;

    @Inject
    PartnerApi partner;

    @Inject
    Crawler crawler;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    McpServerConfiguration mcp;

    @Inject
    RedisDataSource redis;

    @GET
    @Path("/reports")
    public String report() {
        return reports.render(gate);
    }

    @GET
    @Path("/quotes")
    public String quote() {
        return partner.quote(gate);
    }

    @GET
    @Path("/crawl")
    public String crawl(@QueryParam("host") String host) {
        return crawler.download(host, gate);
    }

    /** Ends all calls, including waiting ones, and releases all other permits. */
    @POST
    @Path("/end")
    public void end() {
        gate.countDown();
        gate = new CountDownLatch(1);
        for (Permit permit = HELD.poll(); permit != null; permit = HELD.poll()) {
            permit.release();
        }
    }

    /** Acquires permits of a bulkhead that is defined in code. */
    @POST
    @Path("/take")
    public void take(@QueryParam("name") String name, @QueryParam("key") String key, @QueryParam("limit") int limit,
            @QueryParam("number") int number, @QueryParam("weight") @DefaultValue("1") int weight) {
        RedisSemaphore all = bulkheads
                .semaphore(SemaphoreSpec.named(name).permits(limit).expire(Duration.ofMinutes(2)).build());
        RedisSemaphore semaphore = key == null ? all : all.forKey(key);
        List<Uni<Permit>> taking = IntStream.range(0, number).mapToObj(i -> semaphore.acquireAsync(weight, Duration.ZERO))
                .toList();
        HELD.addAll(Uni.join().all(taking).andFailFast().await().indefinitely());
    }

    /** Writes the data of another application. */
    @POST
    @Path("/elsewhere")
    public void acquireElsewhere(@QueryParam("name") String name) {
        long now = System.currentTimeMillis();
        redis.execute("ZADD", "redis-bulkhead:{" + name + "}:holders", Long.toString(now + 600_000), "elsewhere-1");
        redis.execute("HSET", "redis-bulkhead:{" + name + "}:state", "elsewhere-1", String.join("\n", "7", Long.toString(now),
                "600000", "3", "process", "billing", "other-host:7", "Invoices#send"));
        declareElsewhere(name, 3);
    }

    /** Writes the data of a call of another instance. */
    @POST
    @Path("/elsewhere/limit")
    public void declareElsewhere(@QueryParam("name") String name, @QueryParam("limit") int limit) {
        String state = "redis-bulkhead:{" + name + "}:state";
        Response declared = redis.execute("HGET", state, "declared limits");
        redis.execute("HSET", state, "declared limits",
                (declared == null ? "" : declared.toString()) + " " + limit + ":" + System.currentTimeMillis());
    }

    /** Acquires a lock. */
    @POST
    @Path("/lock")
    public String lock() {
        RedisLock lock = bulkheads.lock("nightly-import");
        CountDownLatch end = gate;
        lock.run(Duration.ZERO, () -> await(end));
        return "done";
    }

    @GET
    @Path("/lost")
    public List<String> lost() {
        return LOST.stream().map(PermitLost::permitId).toList();
    }

    @POST
    @Path("/mcp")
    public void enableMcp() {
        // By setEnable, which does not write the developer's settings.
        mcp.setEnable(true);
    }

    void onLost(@Observes PermitLost lost) {
        LOST.add(lost);
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ApplicationScoped
    public static class Reports {

        @Inject
        CurrentPermit permit;

        @RedisBulkhead(name = "reports", permits = 5, fair = true, expire = "20s", maxWait = "10m")
        public String render(CountDownLatch end) {
            await(end);
            return permit.get().isHeld() ? "held" : "lost";
        }
    }

    @ApplicationScoped
    public static class PartnerApi {

        @RedisBulkhead(name = "partner-api", permits = 3)
        public String quote(CountDownLatch end) {
            await(end);
            return "quote";
        }
    }

    @ApplicationScoped
    public static class Crawler {

        @RedisBulkhead(name = "crawler", permits = 2, maxWait = "10m")
        public String download(@BulkheadKey String host, CountDownLatch end) {
            await(end);
            return host;
        }
    }
}
