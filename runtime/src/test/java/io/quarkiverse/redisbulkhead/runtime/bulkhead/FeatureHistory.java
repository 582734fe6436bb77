package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** A random history in which all features meet, on a network that loses nothing. */
final class FeatureHistory {

    /** What is in it. */
    enum Circumstances {
        /** Nothing fails. */
        CALM,
        /** The same, and limits are changed by operators and by each call. */
        LIMITS,
        /** Instances are cut off, refused, become deaf, reconnect, stand still, stop and die. */
        FAULTS,
        /** The same, and statements, answers and messages are lost. */
        NETWORK,
        /** A failover to older data; all instances reconnect. */
        FAILOVER,
        /** Data is lost on a server that runs on, and messages are lost. */
        DATA
    }

    static final BulkheadId BULKHEAD = BulkheadId.of("work");
    private static final long MILLI = 1_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long LONGEST_LEASE = 12 * SECOND;

    private final long seed;
    private final Random random;
    private final Circumstances kind;
    private final InMemoryShareStore server;
    private final List<SimulatedInstance> instances = new ArrayList<>();
    private final List<SimulatedInstance> stopping = new ArrayList<>();
    private final Map<SimulatedInstance, Long> disturbed = new HashMap<>();
    private final List<Execution> executions = new ArrayList<>();
    private final List<CompletableFuture<?>> stages = new ArrayList<>();
    private final List<SimulatedInstance> stageInstances = new ArrayList<>();
    private final List<String> stageNames = new ArrayList<>();
    private final List<Detached> detached = new ArrayList<>();
    private final int limit;
    private final boolean fair;
    private final boolean heavy;
    private final boolean leases;
    private final boolean transfers;
    private final OnOutage policy;
    private final Duration keepIdle;
    private final StringBuilder log = new StringBuilder();
    private final List<String> wrong = new ArrayList<>();
    private int resizedTo;
    private long exemptUntil;
    private long olderSince;
    private long failedOver = -LONGEST_LEASE;
    private InMemoryShareStore.Snapshot older;
    private long serverDisturbed = -1;
    private long lastChange;
    private long countedUntil;
    private int names;
    int granted;

    private final class Detached {

        private final int weight;
        private final long until;
        private boolean attached;
        // Those that may have attached it.
        private int attempts;
        private boolean mayBeLost;

        private Detached(int weight, long until) {
            this.weight = weight;
            this.until = until;
        }

        private boolean isTaken() {
            return !attached && !mayBeLost && micros() < until;
        }
    }

    private final class Execution {

        private final SimulatedInstance at;
        private final Admission admission;
        private final SemaphoreDefinition definition;
        private final int weight;
        private final long since = micros();
        private final long mustBeDecidedBy;
        private SharePermit permit;
        private boolean decided;
        private boolean ended;
        private boolean heldAtEnd;
        private boolean isUnsure;
        private long minHoldUntil;

        private Execution(SimulatedInstance at, Admission admission, SemaphoreDefinition definition) {
            this.at = at;
            this.admission = admission;
            this.definition = definition;
            this.weight = definition.spec().weight();
            Duration wait = definition.spec().maxWait();
            this.mustBeDecidedBy = micros() + wait.toNanos() / 1_000
                    + (wait.isZero() || definition.spec().maxWaiters().isPresent() ? 1_200 * MILLI : 200 * MILLI);
            admission.granted().whenComplete((permits, failure) -> {
                decided = true;
                lastChange = micros();
                if (failure == null && permits.get(0) instanceof SharePermit own) {
                    permit = own;
                    granted++;
                    if (!own.isHeld()) {
                        wrong.add("not held when granted: " + own.id() + " at " + micros() / MILLI + " ms");
                    }
                    if (!ended) {
                        server.schedule(randomTime(), this::end);
                    }
                }
            });
        }

        private Execution(SimulatedInstance at, SharePermit attached, int weight) {
            this.at = at;
            this.admission = attached;
            this.definition = attached.definition;
            this.weight = weight;
            this.mustBeDecidedBy = micros();
            permit = attached;
            decided = true;
            server.schedule(randomTime(), this::end);
        }

        private void end() {
            if (ended || !at.isAlive()) {
                return;
            }
            if (at.isPaused()) {
                server.schedule(SECOND, this::end);
                return;
            }
            ended = true;
            lastChange = micros();
            heldAtEnd = permit == null || permit.isHeld();
            // The end of an offer costs one execution, which is known only after it.
            isUnsure = !heldAtEnd && permit.bulkhead.share.hasUnconfirmed();
            if (permit != null && random.nextInt(3) == 0) {
                permit.fencingToken();
            }
            if (permit != null && !permit.isLocal && heldAtEnd && transfers && random.nextInt(3) == 0) {
                detach();
            } else {
                release();
            }
        }

        private void release() {
            if (permit != null && !permit.isLocal && permit.isHeld() && permit.inUse) {
                minHoldUntil = permit.sinceNanos / 1_000 + definition.spec().minHold().toNanos() / 1_000 - 50 * MILLI;
            }
            track("end at " + at.name, at, admission.end());
        }

        private void detach() {
            note("detaches " + permit.id());
            long until = micros() + definition.terms().leaseNanos() / 1_000 - 1_500 * MILLI;
            CompletionStage<String> stage = permit.detach();
            track("detach at " + at.name, at, stage);
            stage.whenComplete((token, failure) -> {
                heldAtEnd = permit.isHeld();
                if (failure == null) {
                    Detached one = new Detached(weight, until);
                    permit = null;
                    detached.add(one);
                    for (int i = 0; i < 2; i++) {
                        server.schedule(randomTime(), () -> attach(one, token));
                    }
                }
                release();
            });
        }

        private boolean runs() {
            return permit != null && !ended && at.isAlive() && permit.isHeld() && !permit.isLocal;
        }

        private int taken() {
            if (!at.isAlive() || permit != null && permit.isLocal) {
                return 0;
            }
            return runs() || ended && micros() < minHoldUntil ? weight : 0;
        }
    }

    private void track(String name, SimulatedInstance at, CompletionStage<?> stage) {
        stages.add(stage.toCompletableFuture());
        stageInstances.add(at);
        stageNames.add(name + " at " + micros() / MILLI + " ms");
    }

    private long randomTime() {
        return random.nextInt(5) == 0 ? random.nextInt(8_000) * MILLI : random.nextInt(60) * MILLI;
    }

    private long micros() {
        return server.nanoTime() / 1_000;
    }

    FeatureHistory(long seed, Circumstances kind) {
        this.seed = seed;
        this.kind = kind;
        this.random = new Random(seed);
        this.server = new InMemoryShareStore(seed, ComparedShares.Machine::new);
        this.limit = 1 + random.nextInt(6);
        this.fair = random.nextInt(3) > 0;
        this.heavy = limit > 1 && random.nextInt(2) == 0;
        this.leases = random.nextBoolean();
        this.transfers = random.nextInt(3) == 0;
        this.policy = random.nextBoolean() ? OnOutage.REJECT : random.nextBoolean() ? OnOutage.LOCAL : OnOutage.ALLOW;
        this.keepIdle = switch (random.nextInt(5)) {
            case 0, 1 -> Duration.ZERO;
            case 2 -> Duration.ofSeconds(5);
            default -> Duration.ofMillis(200 + random.nextInt(2_000));
        };
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            start();
        }
        server.leastDelayMicros = 50;
        server.mostDelayMicros = random.nextInt(3) == 0 ? 20 * MILLI : 2 * MILLI;
        if (kind == Circumstances.DATA) {
            server.lostMessages = random.nextInt(3) == 0 ? 0.5 : 0.05;
        }
        if (kind == Circumstances.NETWORK) {
            server.lostStatements = random.nextInt(3) == 0 ? 0.3 : 0.02;
            server.lostAnswers = random.nextInt(3) == 0 ? 0.3 : 0.02;
            server.lostMessages = random.nextInt(3) == 0 ? 0.5 : 0.05;
            server.timeoutMicros = random.nextBoolean() ? 200 * MILLI : 3 * SECOND;
            if (random.nextInt(4) == 0) {
                server.mostDelayMicros = 1_500 * MILLI;
            }
        }
    }

    private void start() {
        SimulatedInstance instance = new SimulatedInstance("n" + names++, server);
        instance.isBusy = names % 2 == 0;
        instance.events = loss -> lastChange = micros();
        instances.add(instance);
    }

    void run(int steps) {
        try {
            for (int step = 0; step < steps; step++) {
                step();
                check();
            }
            finish();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("Seed " + seed + " with " + kind + ", limit " + limit + (fair ? ", fair" : ", not fair")
                    + ", keep-idle " + keepIdle + (heavy ? ", weights" : "") + " " + policy + ":\n" + log + e.getMessage(), e);
        }
    }

    private void note(String what) {
        log.append(micros() / MILLI).append(" ms: ").append(what).append('\n');
        if (log.length() > 6_000) {
            log.delete(0, 2_000);
        }
    }

    private SimulatedInstance any() {
        return instances.get(random.nextInt(instances.size()));
    }

    private void step() {
        int what = random.nextInt(100);
        if (what < 40) {
            call(any(), null);
            server.advance(0);
        } else if (what < 47) {
            giveUp();
        } else if (what < 52) {
            operate();
        } else if (what < 56) {
            settle();
        } else if (what < 92) {
            server.advance(random.nextInt(12) == 0 ? random.nextInt(3_000) * MILLI : random.nextInt(40) * MILLI);
        } else {
            fault();
        }
    }

    private SemaphoreDefinition definition(int weight, Duration maxWait) {
        int permits = kind == Circumstances.LIMITS && random.nextInt(4) == 0 ? weight + random.nextInt(limit - weight + 1)
                : limit;
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("work").permits(permits).weight(weight).fair(fair)
                .expire(Duration.ofSeconds(leases ? 3 + random.nextInt(9) : 6)).maxWait(maxWait).onOutage(policy)
                .localPermits(1 + random.nextInt(limit))
                .keepIdle(leases && random.nextInt(5) == 0 ? Duration.ZERO : keepIdle);
        if (transfers && random.nextInt(4) == 0) {
            spec.minHold(Duration.ofMillis(random.nextInt(1_500)));
        }
        if (leases && random.nextInt(4) == 0) {
            spec.maxHold(Duration.ofMillis(1_500 + random.nextInt(6_000)));
        }
        if (random.nextInt(4) == 0) {
            spec.awaitRelease(true);
        }
        if (random.nextInt(4) == 0) {
            spec.onLost(OnLost.INTERRUPT);
        }
        if (random.nextInt(4) == 0) {
            spec.maxWaiters(random.nextInt(4));
        }
        return SemaphoreDefinition.of(spec.build());
    }

    private void call(SimulatedInstance at, Execution around) {
        if (at.isPaused() || !at.isAlive()) {
            return;
        }
        int weight = heavy ? 1 + random.nextInt(Math.min(3, limit)) : 1;
        Duration maxWait = switch (random.nextInt(4)) {
            case 0 -> Duration.ZERO;
            case 1 -> Duration.ofMillis(1 + random.nextInt(500));
            default -> Duration.ofSeconds(20);
        };
        SemaphoreDefinition definition = definition(weight, maxWait);
        note("call at " + at.name + " of weight " + weight + " of " + definition.spec().permits() + " for " + maxWait);
        HeldPermit[] held = around == null ? new HeldPermit[0] : new HeldPermit[] { around.permit };
        executions.add(new Execution(at, TwoInstances.call(at, definition, held), definition));
    }

    private void giveUp() {
        List<Execution> open = executions.stream().filter(each -> !each.ended && each.at.isAlive() && !each.at.isPaused())
                .toList();
        if (!open.isEmpty()) {
            Execution one = open.get(random.nextInt(open.size()));
            if (one.runs() && random.nextInt(4) == 0) {
                call(one.at, one);
            } else {
                note("end at " + one.at.name);
                one.end();
            }
            server.advance(0);
        }
    }

    private void operate() {
        List<Execution> running = executions.stream().filter(each -> each.runs() && !each.at.isPaused()).toList();
        SimulatedInstance at = any();
        switch (random.nextInt(6)) {
            case 0 -> {
                if (!running.isEmpty()) {
                    Execution one = running.get(random.nextInt(running.size()));
                    SharePermit permit = one.permit;
                    note("revokes " + permit.id());
                    lastChange = micros();
                    track("revoke", one.at, permit.bulkhead.engine.revoke(BULKHEAD, permit.id()));
                }
            }
            case 1 -> {
                if (!running.isEmpty()) {
                    Execution one = running.get(random.nextInt(running.size()));
                    track("refresh", one.at, one.permit.refresh());
                }
            }
            case 2 -> {
                if (!at.isPaused()) {
                    note("looks at " + at.name);
                    track("occupancy", at, at.engine.occupancy(BULKHEAD, 10));
                }
            }
            case 3 -> {
                if (kind == Circumstances.LIMITS && !at.isPaused()) {
                    resizedTo = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(limit);
                    note("resizes to " + resizedTo + " at " + at.name);
                    track("resize", at, at.engine.resize(BULKHEAD, resizedTo));
                }
            }
            case 4 -> {
                if (!at.isPaused()) {
                    boolean keeps = random.nextBoolean();
                    note(at.name + " keeps: " + keeps);
                    at.engine.keepIdle(keeps);
                }
            }
            default -> {
                boolean hears = random.nextBoolean();
                note(at.name + " hears: " + hears);
                if (!at.isPaused()) {
                    at.engine.hearsRecalls(hears);
                }
            }
        }
        server.advance(0);
    }

    private void attach(Detached one, String token) {
        attach(one, token, any());
    }

    private void retry(Detached one, String token, SimulatedInstance at) {
        if (!instances.contains(at)) {
            // The store may have attached it in the name of an instance that ends.
            one.mayBeLost = true;
        } else if (at.isPaused()) {
            server.schedule(SECOND, () -> retry(one, token, at));
        } else {
            server.schedule(randomTime(), () -> {
                one.attempts--;
                attach(one, token, at);
            });
        }
    }

    private void attach(Detached one, String token, SimulatedInstance at) {
        if (!at.isPaused() && at.isAlive()) {
            note("attaches at " + at.name);
            CompletionStage<HeldPermit> stage = at.engine.attach(definition(1, Duration.ZERO), token, "m");
            track("attach at " + at.name, at, stage);
            one.attempts++;
            stage.exceptionally(failure -> {
                if (failure instanceof PermitGoneException) {
                    one.attempts--;
                    if (one.attempts == 0 && !one.attached && !one.mayBeLost && micros() < one.until
                            && kind.ordinal() < Circumstances.FAILOVER.ordinal()) {
                        wrong.add("gone, though it was detached until " + one.until / MILLI + " ms: " + failure.getMessage());
                    }
                } else {
                    retry(one, token, at);
                }
                return null;
            });
            stage.thenAccept(permit -> {
                if (one.attached && kind.ordinal() < Circumstances.FAILOVER.ordinal()) {
                    wrong.add("attached twice");
                }
                one.attached = true;
                executions.add(new Execution(at, (SharePermit) permit, one.weight));
            });
        }
    }

    private boolean isFaulty() {
        return kind.ordinal() >= Circumstances.FAULTS.ordinal();
    }

    private void failover() {
        if (older == null || server.nanoTime() - olderSince > SECOND * 1_000) {
            older = server.snapshot();
            olderSince = server.nanoTime();
            return;
        }
        boolean isEmpty = random.nextInt(4) == 0;
        note("failover to " + (isEmpty ? "no" : "older") + " data");
        server.restore(older);
        if (isEmpty) {
            server.loseData();
        }
        server.changeRunId();
        failedOver = micros();
        older = null;
        // Detached permits may be lost, and the store cannot wait for an instance that older data does not know.
        if (transfers || !isEmpty && Stream.concat(instances.stream(), stopping.stream())
                .anyMatch(each -> each.engine.bulkheadNow(BULKHEAD) != null && !isKnown(each))) {
            exemptUntil = micros() + LONGEST_LEASE + SECOND;
        }
        instances.forEach(each -> {
            if (each.isPaused() || each.refusal != null || each.refusalOfNeeds != null) {
                exemptUntil = micros() + LONGEST_LEASE + SECOND;
            }
            disturb(each, 5 * SECOND);
            server.schedule(random.nextInt(800) * MILLI, each.engine::reconnected);
        });
        stopping.forEach(each -> server.schedule(random.nextInt(800) * MILLI, each.engine::reconnected));
    }

    // Its record is not over.
    private boolean isKnown(SimulatedInstance instance) {
        String record = server.fields(BULKHEAD).getOrDefault("i:" + instance.name, "0,0,0,0,0,0,0,0");
        long end = Long.parseLong(record.split(",")[6]);
        long stated = Long.parseLong(record.split(",")[7]);
        return Math.max(end, stated + ShareStore.WAITER_MILLIS) > server.wallMicros() / MILLI;
    }

    private void loseData() {
        boolean isEviction = random.nextBoolean();
        note(isEviction ? "eviction" : "FLUSHALL");
        if (isEviction) {
            server.evict(BULKHEAD, random.nextBoolean());
        } else {
            server.loseData();
        }
        exemptUntil = micros() + LONGEST_LEASE + SECOND;
        countedUntil = exemptUntil;
        serverDisturbed = Math.max(serverDisturbed, micros() + 3 * SECOND);
    }

    private boolean isDisturbed(SimulatedInstance at) {
        return Math.max(serverDisturbed, disturbed.getOrDefault(at, -1L)) >= micros();
    }

    private void disturb(SimulatedInstance at, long untilMicros) {
        disturbed.merge(at, micros() + untilMicros, Math::max);
    }

    private void fault() {
        if (kind == Circumstances.FAILOVER && random.nextBoolean()) {
            failover();
            return;
        }
        if (kind == Circumstances.DATA && random.nextInt(3) == 0) {
            loseData();
            return;
        }
        if (!isFaulty()) {
            server.advance(random.nextInt(5) * MILLI);
            return;
        }
        SimulatedInstance at = any();
        if (at.isPaused()) {
            return;
        }
        if (micros() < failedOver + 3 * SECOND) {
            // It may not reach the store within the grace period.
            exemptUntil = micros() + LONGEST_LEASE + SECOND;
        }
        switch (random.nextInt(7)) {
            case 0, 1 -> {
                StoreException failure = random.nextInt(3) == 0 ? new StoreException(Kind.TRANSIENT, "broken")
                        : random.nextInt(3) == 0 ? new StoreException("refused", null) : TwoInstances.away();
                boolean onlyNeeds = random.nextInt(3) == 0;
                long time = random.nextInt(random.nextBoolean() ? 1_000 : 9_000) * MILLI;
                note(at.name + " is refused " + (onlyNeeds ? "needs" : "all") + " with " + failure.kind() + " for "
                        + time / MILLI + " ms");
                disturb(at, time + 3 * SECOND);
                if (onlyNeeds) {
                    at.refusalOfNeeds = failure;
                } else {
                    at.refusal = failure;
                }
                server.schedule(time, () -> {
                    at.refusal = null;
                    at.refusalOfNeeds = null;
                    if (at.isAlive() && !at.isPaused() && random.nextBoolean()) {
                        note(at.name + " is available");
                        at.engine.availabilityChanged();
                    }
                });
            }
            case 2 -> {
                note(at.name + " reconnects");
                disturb(at, SECOND);
                at.engine.reconnected();
            }
            case 3 -> {
                note(at.name + " stands still");
                long time = random.nextInt(random.nextBoolean() ? 500 : 15_000) * MILLI;
                disturb(at, time + 3 * SECOND);
                countedUntil = Math.max(countedUntil, micros() + time + LONGEST_LEASE);
                at.pause();
                server.schedule(time, () -> {
                    if (at.isAlive()) {
                        note(at.name + " goes on");
                        at.resume();
                        Execution own = executions.stream().filter(each -> each.at == at && !each.ended && each.permit != null)
                                .findAny().orElse(null);
                        if (own != null && random.nextBoolean()) {
                            own.end();
                        }
                        if (own != null && random.nextInt(3) == 0) {
                            at.engine.lose(BULKHEAD, own.permit == null ? "" : own.permit.id());
                        }
                        call(at, null);
                        check();
                        at.catchUp();
                    }
                });
            }
            case 4 -> {
                note(at.name + " dies");
                countedUntil = Math.max(countedUntil, micros() + LONGEST_LEASE);
                at.die();
                instances.remove(at);
                start();
            }
            case 5 -> {
                long time = random.nextInt(random.nextBoolean() ? 1_000 : 9_000) * MILLI;
                note("the server stands still for " + time / MILLI + " ms");
                server.standStill(time);
                serverDisturbed = Math.max(serverDisturbed, micros() + time + 3 * SECOND);
                countedUntil = Math.max(countedUntil, micros() + time + LONGEST_LEASE);
            }
            default -> {
                note(at.name + " stops");
                countedUntil = Math.max(countedUntil, micros() + LONGEST_LEASE);
                instances.remove(at);
                stopping.add(at);
                start();
                at.engine.refuseAndRejectWaiters();
                server.schedule(random.nextInt(3_000) * MILLI, () -> {
                    int before = at.statements;
                    CompletionStage<Void> released = at.engine.releaseAll();
                    track("release all of " + at.name, at, released);
                    released.thenRun(() -> at.engine.close());
                    server.schedule(10 * SECOND, () -> {
                        at.engine.close();
                        if (at.statements - before > 200) {
                            wrong.add("statements at the end of " + at.name + ": " + (at.statements - before));
                        }
                    });
                });
            }
        }
    }

    // ---- Checks

    private void check() {
        assertThat(wrong).isEmpty();
        int inUse = executions.stream().filter(Execution::runs).mapToInt(each -> each.weight).sum();
        int minimum = executions.stream().filter(each -> !each.runs()).mapToInt(Execution::taken).sum();
        int taken = detached.stream().filter(Detached::isTaken).mapToInt(each -> each.weight).sum();
        assertThat(inUse + taken + (isFaulty() ? 0 : minimum)).as("permits in use: " + inUse + ", detached " + taken
                + ", minimum " + minimum).isLessThanOrEqualTo(micros() < exemptUntil ? 1_000 : limit);
        for (Execution each : executions) {
            assertThat(each.decided || !each.at.isAlive() || each.at.isPaused() || isDisturbed(each.at)
                    || kind == Circumstances.NETWORK || micros() <= each.mustBeDecidedBy)
                    .as("a call at " + each.at.name + " from " + each.since / MILLI + " that had to be decided by "
                            + each.mustBeDecidedBy / MILLI + " ms")
                    .isTrue();
        }
    }

    /** No call waits while enough is free. */
    private void settle() {
        long before = lastChange;
        server.advance(500 * MILLI);
        check();
        if (kind == Circumstances.NETWORK || kind == Circumstances.DATA || micros() < countedUntil
                || lastChange > micros() - 400 * MILLI
                || kind == Circumstances.LIMITS
                || instances.stream().anyMatch(each -> each.isPaused() || isDisturbed(each))) {
            return;
        }
        assertThat(before).isNotNegative();
        if (executions.stream().anyMatch(each -> each.minHoldUntil > micros() - 150 * MILLI)) {
            return;
        }
        int used = executions.stream().mapToInt(Execution::taken).sum()
                + detached.stream().filter(each -> !each.attached && !each.mayBeLost && micros() < each.until + 1_600 * MILLI)
                        .mapToInt(each -> each.weight).sum();
        int heaviest = 0;
        for (SimulatedInstance instance : instances) {
            Bulkhead bulkhead = instance.engine.bulkheadNow(BULKHEAD);
            PendingCall head = bulkhead == null ? null : bulkhead.line.head();
            heaviest = Math.max(heaviest, head == null ? 0 : head.weight());
        }
        assertThat(heaviest == 0 || used + heaviest > limit).as("a call of weight " + heaviest + " waits, and " + used
                + " are used at " + micros() / MILLI + " by "
                + executions.stream().filter(each -> each.taken() > 0)
                        .map(each -> each.permit.id() + (each.runs() ? "" : "-minimum")).toList()
                + "; detached " + detached.stream().filter(each -> !each.attached).map(each -> each.until / MILLI).toList()
                + " the shares are " + server.fields(BULKHEAD)).isTrue();
    }

    private void finish() {
        note("all faults end");
        server.calm();
        for (SimulatedInstance instance : instances) {
            instance.refusal = null;
            instance.refusalOfNeeds = null;
        }
        server.advance(21 * SECOND);
        for (SimulatedInstance instance : instances) {
            instance.refusal = null;
            instance.refusalOfNeeds = null;
            if (instance.isPaused()) {
                instance.resume();
                instance.catchUp();
            }
        }
        server.advance(45 * SECOND);
        for (Execution each : executions) {
            if (each.at.isAlive() && instances.contains(each.at)) {
                assertThat(each.decided).as("each call has an outcome").isTrue();
                each.end();
                if (each.permit != null && !each.permit.isUncounted() && !each.isUnsure) {
                    assertThat(each.at.losses.containsKey(each.permit.id()))
                            .as("the loss of " + each.permit.id() + " is reported")
                            .isEqualTo(!each.heldAtEnd);
                    each.permit.interruption().ifPresent(loss -> assertThat(loss.toCompletableFuture().isDone())
                            .as("the execution of " + each.permit.id() + " is interrupted").isEqualTo(!each.heldAtEnd));
                }
            }
        }
        server.advance(25 * SECOND);
        assertThat(wrong).isEmpty();
        for (int i = 0; i < stages.size(); i++) {
            assertThat(stages.get(i).isDone() || !stageInstances.get(i).isAlive())
                    .as("completed: " + stageNames.get(i) + (instances.contains(stageInstances.get(i)) ? "" : " (stopped)"))
                    .isTrue();
        }
        ShareOverview overview = server.connect("observer").look(BULKHEAD, 100).toCompletableFuture().join();
        assertThat(overview.granted()).as("permits that are left").isZero();
        assertThat(overview.waiting()).as("calls that are left").isZero();
        for (SimulatedInstance instance : instances) {
            assertThat(instance.lostTwice).as("losses that were reported twice").isEmpty();
            assertThat(instance.limits.isEmpty()).as("waiting calls are counted off").isTrue();
            assertThat(instance.engine.bulkheadNow(BULKHEAD)).as("what is left in memory of " + instance.name).isNull();
            assertThat(instance.planned()).as("timers of " + instance.name).isZero();
            if (!isFaulty()) {
                assertThat(instance.losses.values()).as("losses").allMatch(loss -> switch (loss.reason()) {
                    case REVOKED, MAX_HOLD -> true;
                    default -> false;
                });
            }
        }
    }
}
