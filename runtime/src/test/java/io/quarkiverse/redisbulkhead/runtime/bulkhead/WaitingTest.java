package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore.Snapshot;

/** How permits travel between instances, whatever is lost on the way. */
class WaitingTest extends TwoInstances {

    private final SimulatedInstance three = new SimulatedInstance("three", server);

    @AfterEach
    void noCallIsCounted() {
        for (SimulatedInstance each : List.of(one, two, three)) {
            each.engine.refuseAndRejectWaiters();
            assertThat(each.limits.isEmpty()).as("calls that are counted at %s", each.name).isTrue();
            assertThat(each.lostTwice).isEmpty();
        }
    }

    // ---- Messages, leases and waiters that are gone

    /** Trap 11. */
    @Test
    void lostMessageCostsASecond() {
        Admission holder = call(two, waiting(1));
        Admission waiter = call(one, waiting(1));
        server.lostMessages = 1;
        holder.end();
        waits(waiter);

        advance(Duration.ofMillis(1_100));

        held(waiter);
    }

    /** Trap 12: nothing announces that a lease ends. */
    @Test
    void waiterIsServedWhenALeaseEnds() {
        held(call(two, waiting(1)));
        two.die();
        Admission waiter = call(one, waiting(1));
        advance(Duration.ofMillis(5_990));
        waits(waiter);

        advance(Duration.ofMillis(20));

        held(waiter);
    }

    /** Trap 52: a statement that arrives again, late and out of order. */
    @Test
    void repeatedStatementsCountOnce() {
        server.repeatedStatements = 1;
        server.repeatedMessages = 1;
        server.mostDelayMicros = 5_000;
        List<Admission> running = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            running.add(call(i % 3 == 0 ? one : i % 3 == 1 ? two : three, waiting(4)));
            advance(Duration.ofMillis(3));
            assertThat(running.stream().filter(Admission::isHeldNow)).hasSizeLessThanOrEqualTo(4);
            if (running.size() > 6) {
                running.remove(0).end();
            }
        }
        running.forEach(Admission::end);
        server.calm();
        advance(Duration.ofSeconds(4));

        assertThat(look().granted()).isZero();
        assertThat(look().waiting()).isZero();
    }

    /** Trap 26. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void onePermitWakesOneInstance(boolean fair) {
        SemaphoreDefinition work = work(1, spec -> spec.fair(fair).maxWait(LONG));
        Admission holder = call(two, work);
        Admission first = call(one, work);
        Admission second = call(three, work);
        int before = three.statements;

        holder.end();

        held(first);
        waits(second);
        assertThat(three.statements).isEqualTo(before);
    }

    /** Trap 8: the short lease of one instance, or of one call, shortens no other. */
    @Test
    void leasesOfDifferentLength() {
        SemaphoreDefinition shorter = work(3, spec -> spec.expire(Duration.ofSeconds(2)).keepIdle(Duration.ZERO));
        SemaphoreDefinition longer = work(3, spec -> spec.expire(Duration.ofMinutes(1)).keepIdle(Duration.ZERO));
        HeldPermit permit = held(call(one, longer));
        held(call(one, shorter));
        held(call(two, shorter));
        one.pause();
        two.die();
        advance(Duration.ofSeconds(30));

        assertThat(look().granted()).as("those of the paused instance").isEqualTo(2);
        assertThat(server.stored(WORK).fieldsExpire()).isGreaterThan(server.wallMicros() / 1_000 + 20_000);
        one.resume();
        one.catchUp();
        assertThat(permit.isHeld()).isTrue();
        assertThat(one.losses).isEmpty();
    }

    // ---- Order

    /** Each release may serve the next waiter on the same thread. */
    @ParameterizedTest
    @CsvSource({ "true, true", "true, false", "false, true", "false, false" })
    void longQueueIsServedOnOneThread(boolean local, boolean fair) {
        Engine engine = local ? new Engine("local", one.clock(), one.engine.identity, one, new WaiterLimits(0)) : one.engine;
        Semaphore semaphore = new Semaphore(work(1, spec -> spec.fair(fair).maxWait(LONG)), engine, true, List.of());
        AtomicInteger served = new AtomicInteger();
        Admission holder = semaphore.admit("A#hold");
        for (int i = 0; i < 5_000; i++) {
            Admission waiter = semaphore.admit("A#wait");
            waiter.granted().thenRun(() -> {
                served.incrementAndGet();
                waiter.end();
            });
        }

        holder.end();

        assertThat(served).hasValue(5_000);
        assertThat(engine.occupancy(WORK, 0).toCompletableFuture().join().inUse()).isZero();
        assertThat(one.planned()).as("one timer of the bulkhead").isEqualTo(1);
    }

    /** Guarantee 5: places are stated again, also when the queue, or all data, is lost. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void waitersKeepTheirOrderWhenTheQueueIsLost(boolean onlyQueue) {
        Admission holder = call(three, waiting(1));
        List<Admission> waiters = List.of(call(two, waiting(1)), call(one, waiting(1)), call(three, waiting(1)),
                call(two, waiting(1)));
        server.evict(WORK, onlyQueue);
        if (!onlyQueue) {
            server.evict(WORK, true);
            three.engine.reconnected();
        }
        advance(Duration.ofMillis(1_500));

        Admission before = holder;
        for (Admission waiter : waiters) {
            waits(waiter);
            before.end();
            held(waiter);
            before = waiter;
        }
    }

    /** Trap 51: an instance that has calls all the time passes no permit on while another one waits. */
    @Test
    void busyInstanceGivesWayToTheQueue() {
        SemaphoreDefinition busy = waiting(2);
        Admission[] running = { call(one, busy), call(one, busy) };
        for (int i = 0; i < 100; i++) {
            running[i % 2].end();
            running[i % 2] = call(one, busy);
            held(running[i % 2]);
        }
        Admission waiter = call(two, busy);
        Admission newcomer = call(one, busy);
        waits(waiter);

        running[0].end();

        held(waiter);
        waits(newcomer);
        running[1].end();
        held(newcomer);
    }

    /** Trap 51: not fair, it may do so for a bounded time. */
    @Test
    void turnOfAnInstanceIsBounded() {
        SemaphoreDefinition unfair = work(1, spec -> spec.fair(false).maxWait(LONG));
        Admission holder = call(two, unfair);
        List<Admission> busy = new ArrayList<>(List.of(call(one, unfair)));
        Admission waiter = call(two, unfair);
        holder.end();
        int served = 0;
        while (!waiter.isHeldNow()) {
            busy.add(call(one, unfair));
            busy.add(call(one, unfair));
            advance(Duration.ofMillis(1));
            Admission ends = busy.stream().filter(Admission::isHeldNow).findFirst().orElseThrow();
            busy.remove(ends);
            ends.end();
            served++;
            assertThat(served).as("calls of the other instance").isLessThan(50);
        }
        assertThat(served).isGreaterThan(1);
    }

    // ---- Heavy calls

    /** Trap 49: neither instance keeps a part of what its call needs. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void heavyCallsOfTwoInstancesAreServedOneAfterTheOther(boolean fair) {
        SemaphoreDefinition light = work(4, spec -> spec.fair(fair).maxWait(LONG));
        SemaphoreDefinition heavy = work(4, spec -> spec.fair(fair).weight(4).maxWait(LONG));
        List<Admission> running = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            running.add(call(i % 2 == 0 ? one : two, light));
        }
        List<Admission> waiters = List.of(call(one, heavy), call(two, heavy));

        for (Admission each : running) {
            waiters.forEach(TwoInstances::waits);
            each.end();
        }
        advance(Duration.ofSeconds(1));

        assertThat(waiters).filteredOn(Admission::isHeldNow).hasSize(1).allSatisfy(Admission::end);
        advance(Duration.ofSeconds(1));
        assertThat(waiters).allMatch(waiter -> waiter.granted().toCompletableFuture().isDone());
    }

    /** The limit drops below its weight while it waits. */
    @Test
    void waiterHeavierThanTheLimitIsRejected() {
        held(call(two, waiting(3)));
        Admission heavy = call(one, work(3, spec -> spec.weight(3).maxWait(LONG)));
        Admission light = call(one, waiting(3));
        waits(heavy);
        waits(light);

        two.engine.resize(WORK, 2);
        advance(Duration.ofSeconds(2));

        assertThat(rejection(heavy)).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.ABOVE_LIMIT))
                .hasMessageContaining("limit of 2");
        held(light);
    }

    /** Trap 53: the older data does not know the second permit, whose instance comes back later than others. */
    @Test
    void onlyClaimsAreAdmittedAfterAFailover() {
        HeldPermit first = held(call(one, waiting(2)));
        Snapshot older = server.snapshot();
        HeldPermit permit = held(call(one, waiting(2)));
        server.restore(older);
        server.changeRunId();
        two.engine.reconnected();
        Admission newcomer = call(two, waiting(2));
        advance(Duration.ofMillis(900));
        waits(newcomer);

        one.engine.reconnected();
        advance(Duration.ofSeconds(10));

        assertThat(first.isHeld()).isTrue();
        assertThat(permit.isHeld()).isTrue();
        waits(newcomer);
        permit.release();
        held(newcomer);
    }
}
