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

import org.awaitility.Awaitility;
import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkus.devui.runtime.spi.McpServerConfiguration;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** The application behind the Dev UI: calls that run until the test ends them. */
@Path("/demo")
public class DemoApplication {

    private static volatile CountDownLatch gate = new CountDownLatch(1);
    private static final Queue<PermitLost> LOST = new ConcurrentLinkedQueue<>();
    private static final Queue<Permit> HELD = new ConcurrentLinkedQueue<>();
    private static volatile OtherInstance other;

    @Inject
    Reports reports;
    @Inject
    Crawler crawler;
    @Inject
    RedisBulkheads bulkheads;
    @Inject
    McpServerConfiguration mcp;
    @Inject
    Vertx vertx;
    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @GET
    @Path("/reports")
    public String report() {
        return reports.render(gate);
    }

    @GET
    @Path("/crawl")
    public String crawl(@QueryParam("host") String host) {
        return crawler.download(host, gate);
    }

    /** Ends all calls, including waiting ones, releases all other permits, and stops the other instance. */
    @POST
    @Path("/end")
    public void end() {
        gate.countDown();
        gate = new CountDownLatch(1);
        for (Permit permit = HELD.poll(); permit != null; permit = HELD.poll()) {
            permit.release();
        }
        if (other != null) {
            other.close();
            other = null;
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

    /** Acquires a permit, and drops it. */
    @POST
    @Path("/drop")
    public void drop(@QueryParam("name") String name) {
        RedisSemaphore semaphore = bulkheads
                .semaphore(SemaphoreSpec.named(name).permits(1).expire(Duration.ofMinutes(2)).build());
        semaphore.acquire(Duration.ZERO);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            System.gc();
            return semaphore.holders().stream().anyMatch(holder -> holder.state() == Holder.State.LEAKED);
        });
    }

    /** An instance of another application begins an execution. */
    @POST
    @Path("/elsewhere")
    public void beginElsewhere(@QueryParam("name") String name, @QueryParam("limit") int limit) {
        if (other == null) {
            other = new OtherInstance(vertx, hosts, "billing", "other-host:7");
        }
        other.begin(
                SemaphoreSpec.named(name).permits(limit).expire(Duration.ofMinutes(2)).keepIdle(Duration.ofMinutes(2)).build(),
                "Invoices#send");
    }

    /** The executions of the other instance end; it keeps their permits for its next ones. */
    @POST
    @Path("/elsewhere/end")
    public void endElsewhere() {
        other.end();
    }

    /** The process of the other instance is killed. */
    @POST
    @Path("/elsewhere/kill")
    public String killElsewhere() {
        String name = other.name();
        other.kill();
        other = null;
        return name;
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
        public void quote() {
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
