package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares.Stored;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Bounds.Rare;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/**
 * A few instances of one bulkhead, what is on its way between them and the server, and time. Each step of the server is one
 * of the real script or state machine. A move is an arrival, a call, the end of an execution, a second that passes, or
 * something that is {@link Rare}. An instance states its position as soon as it may.
 */
final class ShareModel {

    /** A possible next move, with a readable description and the rule that it breaks; empty if it breaks none. */
    record Move(String label, World next, String broken) {
    }

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000;
    private static final long BACK = 60 * SECOND;
    // After the last fault: an offer ends, waiters die, a grace period passes, and some statements are needed.
    private static final long SETTLES = ShareStore.OFFER_MILLIS + ShareStore.WAITER_MILLIS + ShareStore.GRACE_MILLIS
            + 3 * SECOND;

    /** What is on its way. With an answer come the ids of the detached permits that the server does not have. */
    private record Item(int instance, Object content, Set<String> refused, boolean beforeLoss, String text) {

        private static Item of(int instance, Object content, Set<String> refused) {
            return new Item(instance, content, refused, false, instance + " " + content + refused);
        }

        private Item asBeforeLoss() {
            return new Item(instance, content, refused, true, text + " before the loss");
        }
    }

    /** What the server does, which depends on its data, the time and the statement only. */
    private record Step(Object result, List<ShareMachine.Sent> messages, Stored stored, String text, ShareOverview after) {
    }

    /** What the server last knew of an instance: its statement, the tickets in it, and what it was granted. */
    private record Known(long number, long statedAt, Set<Long> waiting, long served, long epoch, long granted) {

        private Known serving(long ticket, long grantedSince) {
            return new Known(number, statedAt, waiting, Math.max(served, ticket), epoch, grantedSince);
        }
    }

    /** A permit of no instance. */
    private record Held(int weight, long end) {
    }

    private record Identity(long one, long other) {
    }

    private final ComparedShares server;
    private final Bounds bounds;
    private final boolean onlyLight;
    private final boolean onlyWaiting;
    private final Map<String, Step> steps = new HashMap<>();

    ShareModel(ComparedShares server, Bounds bounds) {
        this.server = server;
        this.bounds = bounds;
        onlyLight = bounds.calls().stream().flatMap(List::stream).allMatch(weight -> Math.abs(weight) == 1);
        onlyWaiting = bounds.calls().stream().flatMap(List::stream).allMatch(weight -> weight > 0);
    }

    /** A state. A move changes a copy. */
    final class World implements Cloneable {

        private Stored stored = new Stored(Map.of(), Map.of(), 0, 0);
        private String storedText = "";
        private World replica;
        private long now;
        private long back;
        private int run = 1;
        private long failedOverAt;
        private List<ModelledInstance> instances = new ArrayList<>();
        private List<Item> network = new ArrayList<>();
        private Map<Rare, Integer> happened = new EnumMap<>(Rare.class);
        private Map<Integer, Known> known = new TreeMap<>();
        /** Instances that hold permits and have not stated them since data was lost. */
        private Set<Integer> unaware = new TreeSet<>();
        private Set<String> detached = new TreeSet<>();
        private List<Held> held = List.of();
        private long highestToken;
        private long lastDrawn;
        private String broken = "";
        private Identity identity;

        private World copy() {
            try {
                World copy = (World) clone();
                copy.identity = null;
                copy.instances = new ArrayList<>(instances);
                copy.network = new ArrayList<>(network);
                copy.happened = new EnumMap<>(happened);
                copy.known = new TreeMap<>(known);
                copy.unaware = new TreeSet<>(unaware);
                copy.detached = new TreeSet<>(detached);
                return copy;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("second ").append(now / SECOND).append(", clock back ").append(back)
                    .append(", run ").append(run).append('@').append(failedOverAt).append(", ").append(happened)
                    .append(unaware).append(detached).append(held).append(" tokens ").append(highestToken).append(' ')
                    .append(lastDrawn);
            instances.forEach(instance -> text.append("\n     ").append(instance));
            text.append("\n     ").append(known);
            network.stream().map(Item::text).sorted().forEach(item -> text.append("\n     to or from ").append(item));
            return text.append("\n     ").append(storedText).append(replica == null ? "" : "\n     " + replica.storedText)
                    .toString();
        }

        private void require(boolean good, String rule) {
            broken = good || !broken.isEmpty() ? broken : rule;
        }

        private boolean isLeft(Rare event) {
            return happened.getOrDefault(event, 0) < bounds.rare().getOrDefault(event, 0);
        }

        private World happens(Rare event) {
            happened.merge(event, 1, Integer::sum);
            return this;
        }

        // ---- Instances

        /** Lets an instance do something; then it states its position if there is reason to. */
        private World at(int index, Consumer<ModelledInstance> action) {
            ModelledInstance instance = instances.get(index).copy();
            instances.set(index, instance);
            action.accept(instance);
            if (!instance.dead && instance.hasToState()) {
                Statement statement = instance.state(now);
                if (instance.run == run) {
                    network.add(Item.of(index, statement, Set.of()));
                }
            }
            require(instance.lost == 0 || bounds.mayHave(Rare.FLUSH) || bounds.mayHave(Rare.REVOKE),
                    "an answer takes a permit from an execution");
            instance.lost = 0;
            for (long token : instance.drawn) {
                require(bounds.limit() > 1 || token > lastDrawn || tokensMayRepeat(),
                        "a token is not higher than that of an earlier execution");
                lastDrawn = Math.max(lastDrawn, token);
            }
            instance.drawn = List.of();
            for (long ticket : instance.begun) {
                requireOrder(index, ticket);
            }
            instance.begun = List.of();
            require(instance.notFound.isEmpty() || bounds.mayHave(Rare.FLUSH), "a detached permit cannot be attached");
            instance.notFound = List.of();
            return this;
        }

        private void settle() {
            for (int rounds = 0; !network.isEmpty() && rounds < 100; rounds++) {
                arrives(network.remove(0));
            }
        }

        private World arrives(Item item) {
            if (item.content instanceof Statement statement) {
                processes(item.instance, statement);
            } else if (!instances.get(item.instance).dead) {
                at(item.instance, instance -> {
                    if (item.content instanceof Position position) {
                        boolean counts = instance.inFlight != null && instance.inFlight.number() == position.number();
                        instance.answer(position, now);
                        if (counts && !item.beforeLoss) {
                            unaware.remove(item.instance);
                        }
                    } else {
                        instance.hear((ShareMessage) item.content, now);
                    }
                    for (String id : instance.detached) {
                        require(!item.refused.contains(id), "the token of a detached permit attaches nothing");
                        detached.add(id);
                    }
                    instance.detached = List.of();
                });
            }
            return this;
        }

        // ---- The server

        private Step step(int index, Object operation) {
            String name = instances.get(index).name;
            String key = storedText + '|' + now + '|' + back + '|' + run + '|' + name + '|' + operation;
            Step step = steps.get(key);
            if (step == null) {
                server.restore(stored);
                server.at(START_MICROS + 1_000 * (now - back), "run" + run);
                Object result = operation instanceof Statement statement ? server.sync(name, statement)
                        : server.revoke("i:" + name, 1);
                Stored after = server.stored();
                step = new Step(result, server.takeMessages(), after, after.toString(), server.look(100));
                steps.put(key, step);
            }
            stored = step.stored;
            storedText = step.text;
            held = step.after.holds().stream().map(each -> new Held(each.weight(), now + each.leaseMillis()))
                    .toList();
            require(step.after.shares().stream().allMatch(
                    share -> START_MICROS / 1_000 + now - back + share.leaseMillis() <= stored.fieldsExpire() + back),
                    "the data expires before a lease");
            require(step.after.granted() <= bounds.limit() || bounds.mayHave(Rare.FAILOVER),
                    "Redis has granted more than the limit");
            return step;
        }

        private void processes(int index, Statement statement) {
            Step step = step(index, statement);
            if (!(step.result instanceof Position position)) {
                require(false, "an instance states what is no position");
                return;
            }
            Set<String> refused = new TreeSet<>();
            statement.holds().stream().filter(hold -> !hold.digest().isEmpty()).map(Statement.Hold::id)
                    .filter(id -> step.after.holds().stream().noneMatch(each -> each.id().equals(id)))
                    .forEach(refused::add);
            network.add(Item.of(index, position, refused));
            Known before = known.get(index);
            Map<Integer, Long> served = new TreeMap<>();
            if (before == null || statement.number() > before.number) {
                noteStatement(index, statement, position, step.after);
                if (before != null && position.served() > before.served) {
                    served.put(index, position.served());
                }
            }
            sends(step, served);
            noteTokens(position.firstToken(), position.tokens());
            served.forEach(this::requireOrder);
        }

        /** No call is served before one with a lower ticket of another instance that is alive. */
        private void requireOrder(int index, long ticket) {
            boolean isOrdered = onlyWaiting && !bounds.mayHave(Rare.FLUSH) && !bounds.mayHave(Rare.FAILOVER);
            known.forEach((other, waiter) -> require(!isOrdered || other == index
                    || now - waiter.statedAt >= ShareStore.WAITER_MILLIS
                    || waiter.waiting.stream().noneMatch(earlier -> earlier > waiter.served && earlier < ticket),
                    "a call is served before one with a lower ticket"));
        }

        private void noteStatement(int index, Statement statement, Position position, ShareOverview after) {
            Known before = known.get(index);
            Set<Long> waiting = new TreeSet<>();
            statement.needs().forEach(need -> waiting.add(need.ticket() == 0 ? position.ticket() : need.ticket()));
            known.put(index, new Known(statement.number(), now, waiting,
                    Math.max(position.served(), before == null ? 0 : before.served), position.epoch(), position.granted()));
            require(!onlyLight || position.graceMillis() > 0 || after.waiting() == 0 || after.granted() >= bounds.limit(),
                    "a permit is free, and a call waits");
            long had = before != null && before.epoch == position.epoch() ? before.granted : position.admitted();
            require(position.granted() <= had || !position.othersWait() || !statement.needs().isEmpty()
                    || !statement.attaches().isEmpty(), "a call that does not wait overtakes one that waits");
        }

        private void sends(Step step, Map<Integer, Long> served) {
            for (ShareMachine.Sent sent : step.messages) {
                int to = sent.instance().charAt(0) - 'a';
                network.add(Item.of(to, sent.message(), Set.of()));
                if (sent.message() instanceof Granted offer) {
                    noteTokens(offer.firstToken(), offer.tokens());
                    Known before = known.get(to);
                    if (before != null) {
                        if (offer.served() > before.served) {
                            served.put(to, offer.served());
                        }
                        known.put(to, before.serving(offer.served(), offer.granted()));
                    }
                }
            }
        }

        private void noteTokens(long first, int count) {
            if (count > 0) {
                require(first > highestToken || tokensMayRepeat(), "a token is drawn twice");
                highestToken = Math.max(highestToken, first + count - 1);
            }
        }

        /** Lost data on a server whose clock is behind. */
        private boolean tokensMayRepeat() {
            return bounds.mayHave(Rare.CLOCK_BACK) && (bounds.mayHave(Rare.FLUSH) || bounds.mayHave(Rare.FAILOVER));
        }

        private World flush() {
            now += SECOND;
            stored = new Stored(Map.of(), Map.of(), 0, 0);
            storedText = "flushed";
            known.clear();
            held = List.of();
            detached.clear();
            network.replaceAll(item -> item.content instanceof Position ? item.asBeforeLoss() : item);
            for (int i = 0; i < instances.size(); i++) {
                if (instances.get(i).share() > 0 || instances.get(i).inFlight != null) {
                    unaware.add(i);
                }
            }
            return this;
        }

        /**
         * Connections break, so nothing of what was on its way arrives, nor what is sent before an instance has reconnected.
         */
        private World failOver() {
            World older = replica;
            flush();
            stored = older.stored;
            storedText = older.storedText;
            run++;
            failedOverAt = now;
            network.clear();
            return this;
        }

        /** Beyond that, an instance would come back after the grace period. */
        private boolean mayPassASecond() {
            return now / SECOND < bounds.ticks()
                    && (run == 1 || now == failedOverAt || unaware.stream().allMatch(i -> instances.get(i).used(now) == 0));
        }

        private int used() {
            int sum = 0;
            for (int i = 0; i < instances.size(); i++) {
                boolean counts = run > 1 || !unaware.contains(i);
                sum += counts ? instances.get(i).used(now) : 0;
            }
            for (Held each : held) {
                sum += now < each.end ? each.weight : 0;
            }
            return sum;
        }

        private boolean isAttachedTwice() {
            Set<String> ids = new HashSet<>();
            return instances.stream().filter(instance -> instance.used(now) > 0)
                    .flatMap(instance -> instance.executions.stream())
                    .anyMatch(execution -> !execution.id().isEmpty() && !ids.add(execution.id()));
        }
    }

    /** The initial state. */
    World start() {
        World world = new World();
        for (int i = 0; i < bounds.calls().size(); i++) {
            world.instances.add(new ModelledInstance(String.valueOf((char) ('a' + i)), bounds));
        }
        for (int i = 0; i < bounds.made().size(); i++) {
            List<Integer> calls = bounds.calls().get(i);
            for (int k = 0; k < Math.abs(bounds.made().get(i)); k++) {
                world.at(i, own -> own.call(calls.get(own.called), 0)).settle();
            }
            if (bounds.made().get(i) < 0) {
                world.at(i, own -> own.end("", "", 0, 0)).settle();
            }
        }
        world.replica = bounds.mayHave(Rare.FAILOVER) ? world.copy() : null;
        return world;
    }

    /** 128 bits of its text. */
    Object identity(World world) {
        if (world.identity != null) {
            return world.identity;
        }
        String text = world.toString();
        long one = 0;
        long other = 0;
        for (int i = 0; i < text.length(); i++) {
            one = (one ^ text.charAt(i)) * 0x100000001b3L;
            other = other * 0x9E3779B97F4A7C15L + text.charAt(i);
            other ^= other >>> 29;
        }
        world.identity = new Identity(one, other);
        return world.identity;
    }

    // ---- Moves

    /** Collects the moves from one state. */
    private static final class Moves {

        private final World from;
        private final List<Move> all = new ArrayList<>();

        private Moves(World from) {
            this.from = from;
        }

        private void add(boolean possible, String label, Consumer<World> action) {
            if (possible) {
                World next = from.copy();
                action.accept(next);
                all.add(new Move(label, next, next.broken));
            }
        }

        private void rare(boolean possible, Rare event, String label, Consumer<World> action) {
            add(possible && from.isLeft(event), label, next -> action.accept(next.happens(event)));
        }
    }

    /** The possible next moves. */
    List<Move> moves(World world) {
        Moves moves = new Moves(world);
        for (int i = 0; i < world.instances.size(); i++) {
            if (!world.instances.get(i).dead) {
                movesOf(i, world, moves);
            }
        }
        Set<String> seen = new HashSet<>();
        for (int k = 0; k < world.network.size(); k++) {
            Item item = world.network.get(k);
            int index = k;
            boolean isNew = seen.add(item.text);
            String label = (item.content instanceof Statement ? "arrives from " : "arrives at ")
                    + world.instances.get(item.instance).name + ": " + item.content;
            moves.add(isNew, label, next -> {
                next.network.remove(index);
                next.arrives(item);
            });
            moves.rare(isNew && !(item.content instanceof Position), Rare.REPEATED, "first copy " + label,
                    next -> next.arrives(item));
        }
        moves.add(world.mayPassASecond(), "a second passes", next -> next.now += SECOND);
        moves.rare(true, Rare.FLUSH, "all data is lost", World::flush);
        moves.rare(true, Rare.CLOCK_BACK, "the clock goes back", next -> next.back += BACK);
        moves.rare(world.replica != null, Rare.FAILOVER, "the replica takes over", World::failOver);
        return moves.all;
    }

    private void movesOf(int i, World world, Moves moves) {
        ModelledInstance instance = world.instances.get(i);
        String name = instance.name;
        List<Integer> calls = bounds.calls().get(i);
        boolean mayCall = instance.called < calls.size() && !instance.hasUnplacedCall();
        moves.add(mayCall, name + " calls " + (mayCall ? calls.get(instance.called) : ""),
                next -> next.at(i, own -> own.call(calls.get(own.called), next.now)));
        boolean runs = !instance.executions.isEmpty();
        moves.add(runs, "an execution of " + name + " ends", next -> next.at(i, own -> own.end("", "", 0, next.now)));
        String id = name + instance.called;
        moves.rare(runs, Rare.MINIMUM_HOLD, "an execution of " + name + " ends before its minimum hold",
                next -> next.at(i, own -> own.end(id, "", next.now + 2 * SECOND, next.now)));
        moves.rare(runs, Rare.DETACH, "a permit of " + name + " is detached",
                next -> next.at(i, own -> own.end(id, "digest", next.now + bounds.leaseMillis(), next.now)));
        world.detached.forEach(one -> moves.add(!instance.joining.contains(one), name + " attaches " + one, next -> {
            next.detached.remove(one);
            next.at(i, own -> own.attach(one));
        }));
        moves.rare(!instance.needs.isEmpty(), Rare.GIVE_UP, "the first call of " + name + " gives up",
                next -> next.at(i, own -> own.giveUp(0)));
        moves.rare(instance.inFlight != null, Rare.UNANSWERED, name + " waits for no answer any more",
                next -> next.at(i, ModelledInstance::timeOut));
        moves.add(instance.isTimeToState(world.now), "a timer of " + name,
                next -> next.at(i, own -> own.timer(next.now)));
        moves.add(instance.keeps && instance.idle() > 0, name + " returns what is idle",
                next -> next.at(i, ModelledInstance::returnIdle));
        moves.add(instance.run < world.run, name + " reconnects",
                next -> next.at(i, own -> own.reconnect(next.run, next.now)));
        boolean holds = instance.used(world.now) > 0;
        moves.rare(holds, Rare.HOLDER_DIES, name + " dies", next -> next.at(i, own -> own.dead = true));
        moves.rare(!holds && !instance.needs.isEmpty() && instance.confirmed() <= 0 && instance.inFlight == null,
                Rare.WAITER_DIES, name + " dies",
                next -> next.at(i, own -> own.dead = true));
        moves.rare(holds && instance.confirmed() > 0, Rare.REVOKE, "an operator revokes a permit of " + name,
                next -> next.sends(next.step(i, "revoke"), new TreeMap<>()));
    }

    // ---- Rules about a state

    /** The rule that a state breaks by itself; empty if it breaks none. */
    String broken(World world) {
        if (world.used() > bounds.limit() + world.happened.getOrDefault(Rare.REVOKE, 0)) {
            return "more permits are used than the limit";
        }
        if (world.isAttachedTwice()) {
            return "a permit is attached twice";
        }
        return bounds.mayFinish(identity(world).hashCode()) ? finish(world.copy()) : "";
    }

    /** From now on nothing goes wrong, and executions end: what remains? */
    private String finish(World world) {
        boolean leasesRemain = world.happened.containsKey(Rare.HOLDER_DIES) || world.happened.containsKey(Rare.DETACH);
        long settled = world.now + SETTLES + (leasesRemain ? bounds.leaseMillis() : 0);
        while (!isQuiet(world)) {
            if (world.now > settled) {
                return "calls wait or permits stay for ever, at the end\n" + world;
            }
            for (int i = 0; i < world.instances.size(); i++) {
                finish(i, world);
            }
            world.now += SECOND;
        }
        server.restore(world.stored);
        world.now += bounds.leaseMillis() + SETTLES;
        server.at(START_MICROS + 1_000 * (world.now - world.back) + 1_000 * world.back, "run" + world.run);
        Stored left = server.stored();
        return !world.broken.isEmpty() ? world.broken + ", at the end\n" + world
                : left.fields().isEmpty() && left.queue().isEmpty() ? "" : "keys stay for ever: " + left;
    }

    private void finish(int i, World world) {
        if (world.instances.get(i).run < world.run) {
            world.at(i, own -> own.reconnect(world.run, world.now));
        }
        if (!world.instances.get(i).dead) {
            world.at(i, own -> {
                own.timer(world.now);
                while (!own.executions.isEmpty()) {
                    own.end("", "", 0, world.now);
                }
                own.returnIdle();
            });
        }
        world.settle();
    }

    private static boolean isQuiet(World world) {
        return world.network.isEmpty() && world.instances.stream().allMatch(each -> each.dead || each.share() <= 0
                && each.needs.isEmpty() && each.immediate.isEmpty() && each.leaving.isEmpty() && each.inFlight == null);
    }
}
