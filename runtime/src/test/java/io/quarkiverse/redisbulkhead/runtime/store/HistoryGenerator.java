package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Acquire;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Advance;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Cancel;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Look;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.OldTicket;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Poll;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Release;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Renew;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.ResetSize;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Resize;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.Revoke;

/**
 * Makes up histories. There are few permit ids and few different durations, so that things meet: requests come twice
 * and late, leases end at the instant of a renewal. A step is made without looking at what the steps before it did,
 * so that any of them can be left out.
 */
final class HistoryGenerator {

    private static final long[] LEASES = { 100, 300, 300, 1_000, 20_000, 300_000 };
    private static final long[] PLACES = { 50, 100, 300, 1_000, 100_000 };
    private static final long[] PAUSES = { 1, 1, 7, 49, 50, 51, 100, 200, 300, 999, 1_250, 5_000, 25_000, 61_000 };

    /** All requests for one permit are the same, but for the place. */
    private record Client(int number, String id, int limit, long lease, boolean fair) {
    }

    private record Choice(int weight, Supplier<ModelStep> step) {
    }

    private final Random random;
    private final int limit;
    private final int oldTicketPercent;
    private final List<Client> clients = new ArrayList<>();
    private final List<Choice> choices = List.of(
            new Choice(32, this::acquire),
            new Choice(14, this::release),
            new Choice(14, this::poll),
            new Choice(14, () -> new Advance(one(PAUSES))),
            new Choice(8, () -> new Renew(anyClient().number, durations(LEASES))),
            new Choice(5, () -> new Cancel(anyClient().number, List.copyOf(durations(LEASES).keySet()), one(LEASES))),
            new Choice(4, () -> new Revoke(anyClient().number, anyClient().id)),
            new Choice(3, this::resize),
            new Choice(3, () -> new ResetSize(anyClient().number)),
            new Choice(3, this::look));

    private HistoryGenerator(long seed) {
        random = new Random(seed);
        limit = 1 + random.nextInt(3);
        int fairPercent = one(new long[] { 0, 50, 100 }) > 0 ? random.nextBoolean() ? 100 : 60 : 0;
        boolean mixedLimits = random.nextInt(3) == 0;
        oldTicketPercent = random.nextInt(3) == 0 ? 50 : 0;
        int count = limit + 2 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            int own = mixedLimits && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : limit;
            clients.add(new Client(random.nextInt(4), "p" + i, own, one(LEASES), random.nextInt(100) < fairPercent));
        }
    }

    static List<ModelStep> generate(long seed, int steps) {
        HistoryGenerator generator = new HistoryGenerator(seed);
        List<ModelStep> history = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            history.add(generator.next());
        }
        return history;
    }

    private ModelStep next() {
        int left = random.nextInt(choices.stream().mapToInt(Choice::weight).sum());
        for (Choice choice : choices) {
            left -= choice.weight;
            if (left < 0) {
                return choice.step.get();
            }
        }
        throw new IllegalStateException();
    }

    private ModelStep acquire() {
        Client client = anyClient();
        long place = random.nextInt(3) == 0 ? 0 : one(PLACES);
        OldTicket old = client.fair && random.nextInt(100) < oldTicketPercent
                ? OldTicket.values()[random.nextInt(OldTicket.values().length)]
                : OldTicket.NONE;
        return new Acquire(client.number, client.id, client.limit, client.lease, client.fair, place, old);
    }

    private ModelStep release() {
        Client client = anyClient();
        return new Release(random.nextInt(5) == 0 ? random.nextInt(4) : client.number, client.id);
    }

    private ModelStep poll() {
        Client client = anyClient();
        return new Poll(client.number, client.limit, List.copyOf(durations(PLACES).keySet()), one(PLACES));
    }

    private ModelStep resize() {
        return new Resize(anyClient().number, 1 + random.nextInt(limit + 2));
    }

    private ModelStep look() {
        return new Look(anyClient().number, random.nextInt(4));
    }

    private Map<String, Long> durations(long[] some) {
        Map<String, Long> durations = new TreeMap<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            durations.put(anyClient().id, one(some));
        }
        return durations;
    }

    private Client anyClient() {
        return clients.get(random.nextInt(clients.size()));
    }

    private long one(long[] some) {
        return some[random.nextInt(some.length)];
    }
}
