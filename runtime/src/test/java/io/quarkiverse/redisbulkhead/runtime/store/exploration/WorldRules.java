package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Reply.What;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ScriptedStore.Outcome;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/** Rules for each state. The numbers are those of the guarantees. */
final class WorldRules {

    static final String HELD_BEYOND_LIMIT = "1: more clients see a permit as held than the limit";
    static final String HELD_TOO_LONG = "6: a client sees a permit as held for longer than the store grants it";
    static final String CRASH = "2: a permit lives longer than a lease without being renewed";
    static final String LEFT_BEHIND = "9: a finished call leaves data";
    static final String FREE_TOO_SOON = "2: a permit is free before its min-hold ends";
    static final String KEPT_TOO_LONG = "2: a released permit stays longer than its min-hold";
    static final String NOT_SERVED = "5: the head of the queue does not get a free permit with its poll";
    static final String STANDBY_NOT_SERVED = "5: a standby waiter does not get a free permit with its request";

    private final Setting setting;
    private final ScriptedStore store;

    WorldRules(Setting setting, ScriptedStore store) {
        this.setting = setting;
        this.store = store;
    }

    List<String> broken(World world) {
        List<String> broken = new ArrayList<>();
        BulkheadView bulkhead = new BulkheadView(world.store);
        Map<String, Long> holders = bulkhead.holders();
        if (mustClientsAgreeWithTheStore()) {
            checkHeldPermits(world, holders, broken);
        }
        if (!setting.mayHappen(Rare.CLOCK_BACK) && holders.values().stream().anyMatch(left -> left > setting.lease())) {
            broken.add(CRASH);
        }
        if (!setting.mayHappen(Rare.EVICTED) && !setting.mayHappen(Rare.HOLDERS_EVICTED)) {
            // Data that remains after an eviction expires.
            checkTraces(world, bulkhead, broken);
        }
        checkWaiters(world, bulkhead, broken);
        checkMinHold(world, bulkhead, broken);
        return broken;
    }

    /** Clients cannot notice lost data or jumps of the server's clock. */
    private boolean mustClientsAgreeWithTheStore() {
        return !setting.mayHappen(Rare.DATA_LOST) && !setting.mayHappen(Rare.HOLDERS_EVICTED)
                && !setting.mayHappen(Rare.CLOCK_AHEAD)
                && !setting.mayHappen(Rare.CLOCK_BACK);
    }

    private void checkHeldPermits(World world, Map<String, Long> holders, List<String> broken) {
        if (world.clients.stream().filter(Client::isHeld).mapToInt(client -> setting.weight(client.number))
                .sum() > setting.limit()) {
            broken.add(HELD_BEYOND_LIMIT);
        }
        for (Client client : world.clients) {
            if (client.isHeld() && holders.getOrDefault(client.id, 0L) < client.leaseLeft) {
                broken.add(HELD_TOO_LONG);
            }
        }
    }

    /** Finished calls without a crash leave nothing; others leave only data that expires. */
    private static void checkTraces(World world, BulkheadView bulkhead, List<String> broken) {
        for (String id : bulkhead.traces()) {
            Client owner = world.clients.get(Client.owner(id));
            boolean mayArrive = world.copies.stream().anyMatch(copy -> copy.id().equals(id));
            boolean isDetached = bulkhead.stateOf(id) == Holder.State.DETACHED;
            if (!isDetached && owner.phase != Phase.DEAD && !owner.id.equals(id) && !mayArrive) {
                broken.add(LEFT_BEHIND);
            }
        }
    }

    private void checkMinHold(World world, BulkheadView bulkhead, List<String> broken) {
        Map<String, Long> holders = bulkhead.holders();
        if (!world.started.keySet().stream()
                .allMatch(id -> holders.containsKey(id) || holders.containsKey(PermitStore.releasedId(id)))) {
            broken.add(FREE_TOO_SOON);
        }
        holders.forEach((id, left) -> {
            if (BulkheadView.isReleased(id)) {
                long age = BulkheadView.NOW - PermitDetails.parse(bulkhead.records().get(id)).orElseThrow().since();
                if (left > setting.minHold() - age) {
                    broken.add(KEPT_TOO_LONG);
                }
            }
        });
    }

    private void checkWaiters(World world, BulkheadView bulkhead, List<String> broken) {
        int free = setting.limit() - bulkhead.inUse();
        if (free <= 0 || bulkhead.waiters().isEmpty() || bulkhead.isGracePeriod()) {
            return;
        }
        bulkhead.firstInQueue().filter(first -> Weights.of(first) <= free).ifPresent(first -> {
            if (poll(world, first).reply().what() != What.HANDED_OVER) {
                broken.add(NOT_SERVED);
            }
        });
        if (bulkhead.queue().isEmpty()) {
            for (String id : bulkhead.waiters().keySet()) {
                if (poll(world, id).reply().what() != What.FREE
                        || Weights.of(id) <= free && request(world, id).reply().what() != What.GRANTED) {
                    broken.add(STANDBY_NOT_SERVED);
                }
            }
        }
    }

    private Outcome poll(World world, String id) {
        return store.execute(world, new Request(Client.owner(id), Operation.POLL, id, setting.place(), 0, false, 0));
    }

    private Outcome request(World world, String id) {
        return store.execute(world, new Request(Client.owner(id), Operation.ACQUIRE, id, setting.place(), 0, false, 0));
    }
}
