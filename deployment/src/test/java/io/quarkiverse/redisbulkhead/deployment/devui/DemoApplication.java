package io.quarkiverse.redisbulkhead.deployment.devui;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
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
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRuntime;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;
import io.quarkus.arc.Arc;
import io.quarkus.devui.runtime.spi.McpServerConfiguration;

/** What the Dev UI is shown with: calls that last until the test says so. */
@Path("/demo")
public class DemoApplication {

    private static volatile CountDownLatch gate = new CountDownLatch(1);
    private static final Queue<PermitLost> LOST = new ConcurrentLinkedQueue<>();
    private static final Queue<HeldPermit> HELD = new ConcurrentLinkedQueue<>();

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

    /** Ends all calls, those that wait too, and gives all other permits back. */
    @POST
    @Path("/end")
    public void end() {
        gate.countDown();
        gate = new CountDownLatch(1);
        for (HeldPermit permit = HELD.poll(); permit != null; permit = HELD.poll()) {
            permit.release();
        }
    }

    /** Takes permits as another instance does: it may have another limit, which this one refuses to define. */
    @POST
    @Path("/take")
    public void take(@QueryParam("name") String name, @QueryParam("key") String key, @QueryParam("limit") int limit,
            @QueryParam("number") int number, @QueryParam("weight") @DefaultValue("1") int weight) {
        Semaphore all = engine().semaphore(SemaphoreSpec.named(name).permits(limit).weight(weight)
                .expire(Duration.ofMinutes(2)).build());
        Semaphore semaphore = key == null ? all : all.forKey(key, OptionalInt.empty());
        List<Admission> taking = IntStream.range(0, number).mapToObj(i -> semaphore.admit("DemoApplication#take")).toList();
        taking.forEach(admission -> HELD.addAll(admission.granted().toCompletableFuture().join()));
    }

    private static SemaphoreEngine engine() {
        try {
            Method engine = BulkheadRuntime.class.getDeclaredMethod("engine");
            engine.setAccessible(true);
            return (SemaphoreEngine) engine.invoke(Arc.container().instance(BulkheadRuntime.class).get());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Locks something. */
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

        @RedisBulkhead(name = "reports", permits = 5, fair = true, expire = "6s", maxWait = "1m")
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

        @RedisBulkhead(name = "crawler", permits = 2, maxWait = "1m")
        public String download(@BulkheadKey String host, CountDownLatch end) {
            await(end);
            return host;
        }
    }
}
