package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.machine.StoredTotals;

/** A random history of several instances at one bulkhead. After each step it is checked that nothing is promised too much. */
final class History {

    /** What may go wrong. */
    enum Faults {
        NONE,
        /** Messages and answers take time, and nothing is lost. */
        DELAYS,
        /** Statements, answers and messages are lost, late and repeated; processes stand still and die; the clock goes back. */
        NETWORK,
        /** A failover to older data; all instances that live reconnect. */
        FAILOVER,
        /** Data is lost on a server that runs on, so that the limit may be exceeded until the next statements. */
        DATA,
        /** Permits are detached, attached and held for a minimum time, and an operator takes some away. */
        TRANSFERS
    }

    static final BulkheadId BULKHEAD = BulkheadId.of("work");
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final long LONGEST_LAG_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long MILLI = 1_000;
    private static final long SECOND = 1_000 * MILLI;

    private final long seed;
    private final Random random;
    private final Faults faults;
    private final InMemoryShareStore server;
    private final List<SimulatedInstance> instances = new ArrayList<>();
    private final List<Execution> executions = new ArrayList<>();
    private final Set<Long> tokens = new HashSet<>();
    // First and last token of each block that the server has given away.
    private final TreeMap<Long, Long> blocks = new TreeMap<>();
    private final int limit;
    private final boolean fair;
    private final boolean heavy;
    private final boolean transfers;
    private final boolean revokes;
    private final Duration keepIdle;
    private final StringBuilder log = new StringBuilder();
    private InMemoryShareStore.Snapshot older;
    private long exemptUntil;
    private long highestDrawn;
    private boolean clockWentBack;
    private final List<String> deadGrants = new ArrayList<>();
    private long olderSince;
    private final List<Detached> detached = new ArrayList<>();
    private int revoked;
    private boolean calm;
    private AssertionError broken;
    private int names;
    private boolean ordered;
    // Tickets of calls that wait, as seen after the last step.
    private Map<PendingCall, Long> seenWaiting = new IdentityHashMap<>();

    int granted;
    int lost;

    /** A permit that no instance holds until it is attached, at most until its lease ends. */
    private final class Detached {

        private final int weight;
        private final long until;
        private boolean attached;

        private Detached(int weight, long until) {
            this.weight = weight;
            this.until = until;
        }

        private boolean isTaken() {
            return !attached && micros() < until;
        }
    }

    /** One call, or one attached permit, and what became of it. */
    private final class Execution {

        private final SimulatedInstance at;
        private final Runnable release;
        private final int weight;
        private final long mustBeDecidedBy;
        private SharePermit permit;
        private boolean decided;
        private boolean ended;
        private boolean heldAtEnd;

        private Execution(SimulatedInstance at, Admission admission, int weight, Duration maxWait) {
            this.at = at;
            this.release = admission::end;
            this.weight = weight;
            this.mustBeDecidedBy = micros() + maxWait.toNanos() / 1_000 + 3 * SECOND;
            admission.granted().whenComplete((permits, failure) -> {
                decided = true;
                if (failure == null && permits.get(0) instanceof SharePermit own) {
                    permit = own;
                    granted++;
                    if (!own.isHeld()) {
                        deadGrants.add(own.id() + " at " + server.nanoTime() / 1_000_000 + " ms");
                    }
                    if (!ended) {
                        server.schedule(randomTime(), this::end);
                    }
                }
            });
        }

        private Execution(SimulatedInstance at, SharePermit attached, int weight) {
            this.at = at;
            this.release = attached::release;
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
            if (permit != null && random.nextInt(3) == 0) {
                checkToken(permit);
            }
            heldAtEnd = permit == null || permit.isHeld();
            if (transfers && !calm && permit != null && heldAtEnd && random.nextInt(4) == 0) {
                detach();
            } else {
                release.run();
            }
        }

        private void detach() {
            note("detaches " + permit.id());
            long until = micros() + LEASE.toNanos() / 1_000 - 50 * MILLI;
            permit.detach().whenComplete((token, failure) -> {
                heldAtEnd = permit.isHeld();
                if (failure == null) {
                    permit = null;
                    Detached one = new Detached(weight, until);
                    detached.add(one);
                    for (int i = 0; i < 2; i++) {
                        server.schedule(randomTime(), () -> attach(one, token));
                    }
                }
                release.run();
            });
        }

        private boolean runs() {
            return permit != null && !ended && at.isAlive() && permit.isHeld();
        }
    }

    private long randomTime() {
        return random.nextInt(5) == 0 ? random.nextInt(8_000) * MILLI : random.nextInt(60) * MILLI;
    }

    private long micros() {
        return server.nanoTime() / 1_000;
    }

    History(long seed, Faults faults, Function<BulkheadId, ComparedShares> implementation) {
        this.seed = seed;
        this.faults = faults;
        this.random = new Random(seed);
        this.server = new InMemoryShareStore(seed, implementation);
        this.limit = 1 + random.nextInt(6);
        this.fair = random.nextInt(3) > 0;
        this.heavy = limit > 1 && random.nextInt(3) == 0;
        this.keepIdle = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(200 + random.nextInt(2_000));
        this.transfers = faults == Faults.TRANSFERS || faults == Faults.NETWORK && random.nextInt(3) == 0;
        this.revokes = faults == Faults.TRANSFERS && random.nextBoolean();
        this.ordered = faults == Faults.NONE && fair && !heavy;
        server.observer = this::checkSent;
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            start();
        }
        disturb();
    }

    private void start() {
        SimulatedInstance instance = new SimulatedInstance("n" + names++, server);
        instance.isBusy = names % 2 == 0;
        instances.add(instance);
    }

    private void disturb() {
        if (faults != Faults.NONE) {
            server.leastDelayMicros = 50;
            server.mostDelayMicros = random.nextInt(3) == 0 ? 100 * MILLI : 2 * MILLI;
        }
        if (faults == Faults.NETWORK || faults == Faults.DATA) {
            server.lostStatements = random.nextInt(3) == 0 ? 0.3 : 0.02;
            server.lostAnswers = random.nextInt(3) == 0 ? 0.3 : 0.02;
            server.lostMessages = random.nextInt(3) == 0 ? 0.5 : 0.05;
            server.repeatedStatements = 0.1;
            server.repeatedMessages = 0.1;
            if (random.nextInt(4) == 0) {
                server.mostDelayMicros = 1_500 * MILLI;
            }
            server.timeoutMicros = random.nextBoolean() ? 200 * MILLI : 3 * SECOND;
        }
    }

    void run(int steps) {
        try {
            for (int step = 0; step < steps; step++) {
                step();
                check();
            }
            finish();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("Seed " + seed + " with " + faults + ", limit " + limit + (fair ? ", fair" : ", not fair")
                    + ", keep-idle " + keepIdle + (heavy ? ", weights" : "") + ":\n" + log + e.getMessage(), e);
        }
    }

    private void note(String what) {
        log.append(server.nanoTime() / 1_000_000).append(" ms: ").append(what).append('\n');
        if (log.length() > 6_000) {
            log.delete(0, 2_000);
        }
    }

    private SimulatedInstance any() {
        return instances.get(random.nextInt(instances.size()));
    }

    private void step() {
        int what = random.nextInt(100);
        if (what < 45) {
            call();
        } else if (what < 52) {
            giveUp();
        } else if (what < 90) {
            long time = random.nextInt(12) == 0 ? random.nextInt(3_000) * MILLI : random.nextInt(40) * MILLI;
            server.advance(time);
        } else {
            fault();
        }
    }

    private SemaphoreDefinition definition(int weight, Duration maxWait) {
        boolean held = transfers && random.nextInt(4) == 0;
        Duration minHold = held ? Duration.ofMillis(random.nextInt(1_500)) : Duration.ZERO;
        return SemaphoreDefinition.of(SemaphoreSpec.named("work").permits(limit).weight(weight).fair(fair).expire(LEASE)
                .maxWait(maxWait).keepIdle(keepIdle).minHold(minHold).build());
    }

    private void call() {
        SimulatedInstance at = any();
        if (!at.isPaused()) {
            call(at);
            server.advance(0);
        }
    }

    private void call(SimulatedInstance at) {
        int weight = heavy ? 1 + random.nextInt(Math.min(3, limit)) : 1;
        Duration maxWait = switch (random.nextInt(4)) {
            case 0 -> Duration.ZERO;
            case 1 -> Duration.ofMillis(random.nextInt(500));
            default -> Duration.ofSeconds(20);
        };
        note("call at " + at.name + " of weight " + weight + " for " + maxWait);
        Admission admission = TwoInstances.call(at, definition(weight, maxWait));
        executions.add(new Execution(at, admission, weight, maxWait));
    }

    private void giveUp() {
        List<Execution> open = executions.stream().filter(each -> !each.ended && each.at.isAlive() && !each.at.isPaused())
                .toList();
        if (!open.isEmpty()) {
            Execution one = open.get(random.nextInt(open.size()));
            note("end at " + one.at.name);
            one.end();
            server.advance(0);
        }
    }

    private void fault() {
        if (revokes) {
            revoke();
        }
        switch (faults) {
            case NONE, DELAYS, TRANSFERS -> server.advance(random.nextInt(5) * MILLI);
            case NETWORK -> networkFault();
            case FAILOVER -> failover();
            case DATA -> {
                if (random.nextInt(3) == 0) {
                    dataFault();
                } else {
                    networkFault();
                }
            }
        }
    }

    /** Until the instance knows, its executions use what was revoked. */
    private void revoke() {
        SimulatedInstance one = any();
        note("an operator revokes a permit of " + one.name);
        revoked++;
        server.connect("operator").revoke(BULKHEAD, one.name, "", 1);
        server.schedule(LEASE.toNanos() / 1_000, () -> revoked--);
    }

    private void attach(Detached one, String token) {
        SimulatedInstance at = any();
        if (!at.isPaused()) {
            note("attaches at " + at.name);
            at.engine.attach(definition(1, Duration.ZERO), token, "m").thenAccept(permit -> {
                assertThat(one.attached).as("attached before").isFalse();
                one.attached = true;
                executions.add(new Execution(at, (SharePermit) permit, one.weight));
            });
        }
    }

    private void networkFault() {
        switch (random.nextInt(5)) {
            case 0 -> {
                SimulatedInstance one = any();
                if (!one.isPaused()) {
                    note(one.name + " stands still");
                    one.pause();
                    server.schedule(random.nextInt(random.nextBoolean() ? 500 : 15_000) * MILLI, () -> {
                        note(one.name + " goes on");
                        checkLimit();
                        one.resume();
                        // Other threads may be faster than those of timers and connections.
                        call(one);
                        call(one);
                        checkLimit();
                        one.catchUp();
                    });
                }
            }
            case 1 -> {
                SimulatedInstance one = any();
                note(one.name + " dies");
                one.die();
                instances.remove(one);
                start();
            }
            case 2 -> {
                note("the clock goes back");
                clockWentBack = true;
                server.setClockBack(random.nextInt(20) * SECOND);
            }
            case 3 -> {
                note("the server is away");
                server.setDown(true);
                server.schedule(random.nextInt(3_000) * MILLI, () -> server.setDown(false));
            }
            default -> disturb();
        }
    }

    private void failover() {
        if (older == null || server.nanoTime() - olderSince > LONGEST_LAG_NANOS) {
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
        older = null;
        if (limit > 1) {
            // A block may be ahead of the clock, and this failover takes no time: tokens may repeat then, as documented.
            blocks.values().removeIf(last -> last >= server.wallMicros());
        }
        // The store cannot wait for an instance that older data does not know.
        if (!isEmpty && instances.stream().anyMatch(each -> each.engine.bulkheadNow(BULKHEAD) != null
                && !server.fields(BULKHEAD).containsKey("i:" + each.name))) {
            exemptUntil = micros() + LEASE.toNanos() / 1_000 + SECOND;
        }
        instances.forEach(each -> server.schedule(random.nextInt(800) * MILLI, each.engine::reconnected));
    }

    private void dataFault() {
        switch (random.nextInt(3)) {
            case 0 -> {
                note("FLUSHALL");
                server.loseData();
            }
            case 1 -> {
                note("eviction");
                server.evict(BULKHEAD, random.nextBoolean());
            }
            default -> {
                if (older == null) {
                    older = server.snapshot();
                    return;
                }
                note("failover to older data");
                server.restore(older);
                server.changeRunId();
                older = null;
                instances.stream().filter(each -> !each.isPaused()).forEach(each -> each.engine.reconnected());
            }
        }
        exemptUntil = micros() + LEASE.toNanos() / 1_000 + SECOND;
    }

    // ---- Checks

    private void check() {
        checkLimit();
        for (Execution each : executions) {
            assertThat(
                    each.decided || !each.at.isAlive() || each.at.isPaused() || faults != Faults.NONE && faults != Faults.DELAYS
                            || micros() <= each.mustBeDecidedBy)
                    .as("a call at " + each.at.name + " that had to be decided by " + each.mustBeDecidedBy / MILLI + " ms")
                    .isTrue();
        }
        checkOrder();
    }

    /** After each step of the server. What fails is thrown later, because futures would swallow it here. */
    private void checkSent(Object sent) {
        try {
            if (sent instanceof Position answer) {
                checkBlock(answer.firstToken(), answer.tokens());
            } else if (sent instanceof ShareMessage.Granted offer) {
                checkBlock(offer.firstToken(), offer.tokens());
            }
            if (faults != Faults.DATA && !clockWentBack) {
                StoredTotals.check(server.stored(BULKHEAD));
            }
        } catch (AssertionError e) {
            broken = broken == null ? e : broken;
        }
    }

    private void checkBlock(long first, int count) {
        // Tokens of a server without data come from its clock, and from what its instances have seen.
        if (count > 0 && !(faults == Faults.DATA && clockWentBack)) {
            Map.Entry<Long, Long> before = blocks.floorEntry(first + count - 1);
            assertThat(before == null || before.getValue() < first).as("tokens from %s are new", first).isTrue();
            blocks.put(first, first + count - 1);
        }
    }

    private void checkLimit() {
        if (broken != null) {
            throw broken;
        }
        assertThat(deadGrants).as("permits that were not held when they were granted").isEmpty();
        if (micros() >= exemptUntil) {
            int inUse = executions.stream().filter(Execution::runs).mapToInt(each -> each.weight).sum();
            int taken = detached.stream().filter(Detached::isTaken).mapToInt(each -> each.weight).sum();
            assertThat(inUse + taken).as("permits in use").isLessThanOrEqualTo(limit + revoked);
        }
    }

    private void checkToken(SharePermit permit) {
        boolean held = permit.isHeld();
        long token = permit.fencingToken();
        note("token " + token + " of " + permit.id() + ", started at " + permit.sinceNanos / 1_000_000 + " ms");
        if (held) {
            assertThat(token).as("token").isPositive().isLessThan(1L << 53);
            assertThat(tokens.add(token) || faults == Faults.DATA && clockWentBack).as("token " + token + " is unique")
                    .isTrue();
            // While two hold the only permit, the token of the older one is lower, also if it is drawn later.
            if (limit == 1 && faults != Faults.DATA && !clockWentBack && micros() >= exemptUntil) {
                assertThat(token).as("token of the only permit").isGreaterThan(highestDrawn);
            }
            highestDrawn = Math.max(highestDrawn, token);
        }
    }

    private void checkOrder() {
        if (!ordered) {
            return;
        }
        Map<PendingCall, Long> waiting = new IdentityHashMap<>();
        for (SimulatedInstance instance : instances) {
            Bulkhead bulkhead = instance.engine.bulkheadNow(BULKHEAD);
            if (bulkhead != null) {
                bulkhead.line.all().stream().filter(call -> call.group.ticket() > 0)
                        .forEach(call -> waiting.put(call, call.group.ticket()));
            }
        }
        long lastServed = seenWaiting.entrySet().stream()
                .filter(each -> !waiting.containsKey(each.getKey()) && each.getKey().isHeldNow())
                .mapToLong(Map.Entry::getValue).max().orElse(0);
        assertThat(waiting.values().stream().filter(ticket -> ticket < lastServed)).as("calls that were overtaken").isEmpty();
        seenWaiting = waiting;
    }

    private void finish() {
        note("all faults end");
        calm = true;
        server.calm();
        server.advance(20 * SECOND);
        server.advance(SECOND);
        for (SimulatedInstance instance : instances) {
            if (instance.isPaused()) {
                instance.resume();
                instance.catchUp();
            }
        }
        server.advance(45 * SECOND);
        for (Execution each : executions) {
            if (each.at.isAlive()) {
                assertThat(each.decided).as("each call has an outcome").isTrue();
                each.end();
                if (each.permit != null) {
                    assertThat(each.at.losses.containsKey(each.permit.id()))
                            .as("the loss of " + each.permit.id() + " is reported")
                            .isEqualTo(!each.heldAtEnd);
                }
            }
        }
        server.advance(20 * SECOND);
        ShareOverview overview = server.connect("observer").look(BULKHEAD, 100).toCompletableFuture().join();
        assertThat(overview.granted()).as("permits that are left").isZero();
        assertThat(overview.waiting()).as("calls that are left").isZero();
        for (SimulatedInstance instance : instances) {
            lost += instance.losses.size();
            assertThat(instance.lostTwice).as("losses that were reported twice").isEmpty();
            assertThat(instance.limits.isEmpty()).as("waiting calls are counted off").isTrue();
            assertThat(instance.engine.bulkheadNow(BULKHEAD)).as("what is left in memory of " + instance.name).isNull();
            assertThat(instance.planned()).as("timers of " + instance.name).isZero();
        }
        server.advance(60 * SECOND);
        assertThat(server.queue(BULKHEAD)).as("queue").isEmpty();
        assertThat(server.fields(BULKHEAD)).as("data").isEmpty();
    }
}
