package io.quarkiverse.redisbulkhead.runtime.store;

import static java.util.stream.Collectors.toList;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;

/**
 * A history that several stores play in parallel. After each step, replies, notifications and remaining data must be equal.
 * Permit ids and durations are few, so that cases meet: requests arrive twice or late, and leases end at the moment of a
 * renewal. A process dies by sending nothing more.
 */
final class ComparedHistory {

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final long[] LEASES = { 100, 300, 1_000, 20_000, 300_000 };
    private static final long[] PLACES = { 50, 300, 1_000, 3_000 };
    private static final long[] PAUSES_MICROS = { 0, 1, 999, 1_000, 7_300, 50_000, 300_000, 999_500, 1_250_000, 3_000_000,
            10_000_000,
            61_000_000 };
    private static final long[] SET_BACKS_MICROS = { 300_000, 5_000_000, 3_600_000_000L };

    /** See {@link #acquire}. The store can never have issued the last two. */
    private static final long[] TICKETS = { 0, -1, -2, START_MICROS - 3_600_000_000L, 1, Long.MAX_VALUE };

    /** A step, with its text for reports. */
    record Step(String text, Consumer<Run> action) {

        @Override
        public String toString() {
            return text;
        }
    }

    /** An operation of a process. */
    record Call(int process, String text, Operation operation) {
    }

    interface Operation {

        CompletionStage<?> on(PermitStore store, Run run);
    }

    /** What a store did, to be compared. */
    private record Seen(List<Object> replies, Map<Integer, List<Notice>> notices,
            Map<Integer, List<LimitMismatch>> mismatches, Map<String, Object> remains) {
    }

    /** The state of one run through a history. */
    static final class Run {

        private final List<? extends ComparedStore> stores;
        private final Map<String, Long> ticketsReceived = new HashMap<>();
        private long micros = START_MICROS;
        private List<Call> calls = List.of();

        private Run(List<? extends ComparedStore> stores) {
            this.stores = stores;
            stores.forEach(store -> {
                store.clear();
                store.takeNotices();
                store.takeLimitMismatches();
            });
            pass(0);
        }

        void pass(long passed) {
            micros += passed;
            stores.forEach(store -> store.setMicros(micros));
        }

        void lose(Part part) {
            stores.forEach(store -> store.lose(part));
        }

        void call(List<Call> all) {
            calls = all;
        }

        private void play(Step step) {
            step.action().accept(this);
            List<Seen> seen = stores.stream().map(this::see).toList();
            for (int i = 1; i < seen.size(); i++) {
                compare("replies", seen.get(0).replies(), seen.get(i).replies(), i);
                compare("notices", seen.get(0).notices(), seen.get(i).notices(), i);
                compare("differing limits", seen.get(0).mismatches(), seen.get(i).mismatches(), i);
                compare("remains", seen.get(0).remains(), seen.get(i).remains(), i);
            }
            for (int i = 0; i < calls.size(); i++) {
                if (seen.get(0).replies().get(i) instanceof AcquireReply.Waiting waiting && waiting.ticket() > 0) {
                    ticketsReceived.put(calls.get(i).text().split(" ")[0], waiting.ticket());
                }
            }
            calls = List.of();
        }

        private Seen see(ComparedStore store) {
            List<CompletableFuture<?>> replies = new ArrayList<>();
            // Calls of one process are sent together.
            calls.forEach(call -> replies.add(call.operation().on(store.process(call.process()), this).toCompletableFuture()));
            return new Seen(replies.stream().map(Run::reply).collect(toList()), store.takeNotices(),
                    store.takeLimitMismatches(), store.remains(Math.floorDiv(micros, 1_000L)));
        }

        private static Object reply(CompletableFuture<?> reply) {
            try {
                return reply.orTimeout(30, java.util.concurrent.TimeUnit.SECONDS).join();
            } catch (CompletionException e) {
                return e.getCause().toString();
            }
        }

        private void compare(String what, Object first, Object other, int number) {
            if (!Objects.equals(first, other)) {
                throw new AssertionError(
                        "The " + what + " of store 0 and store " + number + " differ:\n    " + first + "\n    " + other);
            }
        }
    }

    private ComparedHistory() {
    }

    /** Returns the first difference between the stores, or empty. */
    static Optional<String> difference(List<? extends ComparedStore> stores, List<Step> history) {
        Run run = new Run(stores);
        for (int i = 0; i < history.size(); i++) {
            try {
                run.play(history.get(i));
            } catch (AssertionError e) {
                return Optional.of("After " + (i + 1) + " steps: " + e.getMessage());
            }
        }
        return Optional.empty();
    }

    // ---- steps

    static Step passes(long micros) {
        return new Step(micros + " us pass", run -> run.pass(micros));
    }

    static Step loses(Part part) {
        return new Step("the key of " + part + " is lost", run -> run.lose(part));
    }

    static Step calls(Call... calls) {
        return new Step(Stream.of(calls).map(call -> "process " + call.process() + ": " + call.text()).toList().toString(),
                run -> run.call(List.of(calls)));
    }

    /** An acquire; {@code ticket} 0 is none, -1 the last one issued for the permit, and -2 an old one. */
    static Call acquire(int process, String id, int limit, long lease, boolean fair, long place, long ticket) {
        return new Call(process,
                id + " requests, limit " + limit + ", lease " + lease + ", fair " + fair + ", place " + place + ", ticket "
                        + ticket,
                (store, run) -> {
                    long old = ticket == -1 ? run.ticketsReceived.getOrDefault(id, 0L)
                            : ticket == -2 ? START_MICROS - 60_000_000 : ticket;
                    return store.acquire(new AcquireRequest(ComparedStore.BULKHEAD, id, limit, Duration.ofMillis(lease), fair,
                            Duration.ofMillis(place), old, "app" + process, "host", "T#" + id));
                });
    }

    static Call release(int process, String id) {
        return new Call(process, id + " is released", (store, run) -> store.release(ComparedStore.BULKHEAD, id));
    }

    /** A release of a permit that stays taken until {@code minHold} after its start. */
    static Call releaseAfter(int process, String id, long minHold) {
        return new Call(process, id + " is released, but stays for " + minHold,
                (store, run) -> store.release(ComparedStore.BULKHEAD, id, Duration.ofMillis(minHold)));
    }

    static Call cancel(int process, long forgetAfter, List<String> ids) {
        return new Call(process, ids + " cancelled for " + forgetAfter,
                (store, run) -> store.cancel(ComparedStore.BULKHEAD, ids, Duration.ofMillis(forgetAfter)));
    }

    static Call renew(int process, Map<String, Long> leases) {
        Map<String, Duration> durations = new TreeMap<>();
        leases.forEach((id, lease) -> durations.put(id, Duration.ofMillis(lease)));
        return new Call(process, leases + " renewed", (store, run) -> store.renew(ComparedStore.BULKHEAD, durations));
    }

    static Call poll(int process, int limit, List<String> ids, long place) {
        return new Call(process, ids + " polled with limit " + limit + ", place " + place,
                (store, run) -> store.poll(ComparedStore.BULKHEAD, limit, ids, Duration.ofMillis(place)));
    }

    static Call detach(int process, String id, long lease, String digest, long refuseFor) {
        return new Call(process, id + " is detached for " + lease + " by " + digest + ", copies refused for " + refuseFor,
                (store, run) -> store.detach(ComparedStore.BULKHEAD, id, Duration.ofMillis(lease), digest,
                        Duration.ofMillis(refuseFor)));
    }

    /** An attach of a permit, which gets the id {@code newId}; {@code most} 0 means no bound. */
    static Call attach(int process, String id, String newId, long lease, String digest, long most) {
        return new Call(process, id + " is attached as " + newId + " for " + lease + ", at most " + most + ", by " + digest,
                (store, run) -> store.attach(new AttachRequest(new AcquireRequest(ComparedStore.BULKHEAD, newId, 2,
                        Duration.ofMillis(lease), false, Duration.ZERO, 0, "app" + process, "host", "T#" + newId), id, digest,
                        Duration.ofMillis(most))));
    }

    static Call revoke(int process, String id) {
        return new Call(process, id + " is revoked", (store, run) -> store.revoke(ComparedStore.BULKHEAD, id));
    }

    static Call resize(int process, int limit) {
        return limit == 0 ? new Call(process, "the size is reset", (store, run) -> store.resetSize(ComparedStore.BULKHEAD))
                : new Call(process, "resized to " + limit, (store, run) -> store.resize(ComparedStore.BULKHEAD, limit));
    }

    static Call readOccupancy(int process, int most) {
        return new Call(process, "read occupancy " + most, (store, run) -> store.occupancy(ComparedStore.BULKHEAD, most));
    }

    static Call own(int process) {
        return new Call(process, "read own permits", (store, run) -> store.ownPermits(ComparedStore.BULKHEAD));
    }

    // ---- generated

    /** All requests for a permit are equal, except for place and ticket. */
    private record Client(int process, String id, int limit, long lease, boolean fair) {
    }

    /** Generates histories. Steps are independent of the results of earlier steps, so each can be left out. */
    private static final class Generator {

        private final Random random;
        private final int limit;
        private final boolean tickets;
        private final boolean clockGoesBack;
        private final boolean loses;
        private final boolean holds;
        private final boolean detaches;
        private final List<Client> clients = new ArrayList<>();

        private Generator(long seed, boolean clockMayGoBack) {
            random = new Random(seed);
            boolean weights = random.nextInt(3) == 0;
            limit = 1 + random.nextInt(3) + (weights ? 2 : 0);
            int fairPercent = List.of(0, 50, 100).get(random.nextInt(3));
            boolean mixed = random.nextInt(3) == 0;
            tickets = random.nextInt(3) == 0;
            clockGoesBack = random.nextInt(4) == 0 && clockMayGoBack;
            loses = random.nextInt(4) == 0;
            holds = random.nextInt(3) == 0;
            detaches = random.nextInt(3) == 0;
            int count = limit + 2 + random.nextInt(7);
            for (int i = 0; i < count; i++) {
                // Some permits weigh more than the limit.
                int weight = weights && random.nextBoolean() ? 1 + random.nextInt(6) : 1;
                clients.add(new Client(random.nextInt(ComparedStore.PROCESSES), Weights.id(weight, "p" + i),
                        mixed && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : limit, one(LEASES),
                        random.nextInt(100) < fairPercent));
            }
        }

        private Step step() {
            int choice = random.nextInt(100);
            if (choice < 18) {
                return passes(clockGoesBack && random.nextInt(12) == 0 ? -one(SET_BACKS_MICROS) : one(PAUSES_MICROS));
            }
            if (choice < 20 && loses) {
                return loses(
                        List.of(Part.HOLDERS, Part.STATE, Part.QUEUE, Part.STANDBY, Part.CANCELLED).get(random.nextInt(5)));
            }
            if (choice < 30) {
                int process = random.nextInt(ComparedStore.PROCESSES);
                return calls(IntStream.range(0, 2 + random.nextInt(5)).mapToObj(i -> batched(process)).toArray(Call[]::new));
            }
            return calls(call());
        }

        private Call batched(int process) {
            Client client = any();
            if (detaches && random.nextInt(4) == 0) {
                return detachOrAttach(process, client);
            }
            return switch (random.nextInt(7)) {
                case 0, 1, 2 -> acquire(client, process);
                case 3, 4, 5 -> release(process, client);
                // No longer than the first lease: after the clock goes back, a batch cuts leases once.
                default -> renew(process, Map.of(client.id(), client.lease()));
            };
        }

        private Call acquire(Client client, int process) {
            long ticket = client.fair() && tickets ? one(TICKETS) : 0;
            return ComparedHistory.acquire(process, client.id(), client.limit(), client.lease(), client.fair(),
                    random.nextInt(4) == 0 ? 0 : one(PLACES), ticket);
        }

        /** Few secrets and new ids, so that several calls attach the same permit, and some repeat. */
        private Call detachOrAttach(int process, Client client) {
            String digest = random.nextInt(4) == 0 ? "other" : "secret";
            String newId = client.id() + (random.nextBoolean() ? "x" : "y");
            return switch (random.nextInt(8)) {
                case 0, 1, 2 -> detach(process, client.id(), client.lease(), digest,
                        random.nextInt(4) == 0 ? one(LEASES) : 0);
                case 3, 4, 5 -> attach(process, client.id(), newId, client.lease(), digest,
                        random.nextBoolean() ? 0 : one(LEASES));
                case 6 -> holds ? releaseAfter(process, newId, one(LEASES)) : ComparedHistory.release(process, newId);
                default -> renew(process, Map.of(newId, client.lease()));
            };
        }

        private Call release(int process, Client client) {
            return holds && random.nextBoolean() ? releaseAfter(process, client.id(), one(LEASES))
                    : ComparedHistory.release(process, client.id());
        }

        private Call call() {
            Client client = any();
            int process = random.nextInt(5) == 0 ? random.nextInt(ComparedStore.PROCESSES) : client.process();
            if (detaches && random.nextInt(4) == 0) {
                return detachOrAttach(process, client);
            }
            int choice = random.nextInt(100);
            if (choice < 38) {
                return acquire(client, client.process());
            }
            if (choice < 56) {
                return release(process, client);
            }
            if (choice < 72) {
                return poll(client.process(), client.limit(),
                        clients.stream().filter(it -> it.process() == client.process()).map(Client::id).toList(), one(PLACES));
            }
            if (choice < 79) {
                return renew(process, leases(client));
            }
            if (choice < 85) {
                return cancel(process, one(LEASES), List.of(client.id(), any().id()).stream().distinct().toList());
            }
            if (choice < 89) {
                return revoke(process, holds && random.nextBoolean() ? PermitStore.releasedId(client.id()) : client.id());
            }
            if (choice < 94) {
                return resize(process, random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(limit + 2));
            }
            return choice < 97 ? readOccupancy(process, PermitStore.MAX_LISTED) : own(process);
        }

        private Map<String, Long> leases(Client client) {
            Map<String, Long> leases = new TreeMap<>(Map.of(client.id(), one(LEASES)));
            leases.put(any().id(), client.lease());
            return leases;
        }

        private Client any() {
            return clients.get(random.nextInt(clients.size()));
        }

        private long one(long[] some) {
            return some[random.nextInt(some.length)];
        }
    }

    /** The history for a seed. */
    static List<Step> generate(long seed, int steps, boolean clockMayGoBack) {
        Supplier<Step> next = new Generator(seed, clockMayGoBack)::step;
        return Stream.generate(next).limit(steps).collect(toList());
    }
}
