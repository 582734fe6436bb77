package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares.Stored;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/**
 * Some instances and one server on a virtual clock, with what a seed makes happen to them. It checks after each event that
 * the instances together use no more than the limit, and after each step of the server that the totals are right; at the end,
 * that no call waits for ever and that nothing stays behind.
 */
final class ShareWorld {

    /** What happens in a history beside calls. */
    enum Trouble {
        /** Statements, answers and messages are lost, late or repeated. */
        NETWORK,
        /** Processes die, and others start. */
        CRASHES,
        /** Processes stand still. */
        PAUSES,
        /** The clock of the server goes back. */
        CLOCK_BACK,
        /** The server is replaced by another one with older data, and the instances notice it. */
        FAILOVER,
        /** All data is lost, on a server that runs on. */
        FLUSH,
        /** Instances keep permits. */
        KEEPING,
        /** Calls of weight 2. */
        WEIGHTS,
        /** Permits are held on, detached and attached. */
        HOLDS,
        /** An operator takes permits away. */
        REVOCATION
    }

    static final class Broken extends AssertionError {

        private static final long serialVersionUID = 1L;

        Broken(String rule) {
            super(rule);
        }
    }

    private static final long MILLI = 1_000;
    private static final long MARGIN = 50 * MILLI;
    private static final long TIMEOUT = 700 * MILLI;
    private static final long KEEP_IDLE = 300 * MILLI;

    private record Event(long at, long order, Runnable action) {
    }

    final Random random;
    final Set<Trouble> troubles;
    private final ComparedShares server;
    private final int limit;
    private final long lease;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final List<Instance> instances = new ArrayList<>();
    private final TreeMap<Long, Long> tokens = new TreeMap<>();
    private final Map<String, Detached> detached = new HashMap<>();
    private final List<Stored> older = new ArrayList<>();
    private long order;
    private long now = 1_000 * MILLI;
    private long wallOffset = 1_700_000_000_000_000L;
    private int run = 1;
    private int started;
    private boolean calm;
    private long healsAt;
    private int revoked;
    private long lastServed;
    private final Map<String, Long> servedBy = new HashMap<>();
    long syncs;
    long starts;
    long lost;

    /** A permit that no instance uses: held on, or detached. */
    private static final class Detached {

        private final int weight;
        private final long end;
        private boolean attached;

        private Detached(int weight, long end) {
            this.weight = weight;
            this.end = end;
        }
    }

    ShareWorld(ComparedShares server, long seed, Set<Trouble> troubles) {
        this.server = server;
        this.troubles = troubles;
        random = new Random(seed);
        limit = 2 + random.nextInt(4);
        lease = (2_000 + 1_000 * random.nextInt(8)) * MILLI;
        server.restore(new Stored(Map.of(), Map.of(), 0, 0));
        server.takeMessages();
        for (int i = 0; i < 3; i++) {
            begin();
        }
    }

    private boolean has(Trouble trouble) {
        return !calm && troubles.contains(trouble);
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private void begin() {
        Instance instance = new Instance("i" + ++started);
        instances.add(instance);
        at(random.nextInt(20) * MILLI, instance::tick);
    }

    private void at(long after, Runnable action) {
        events.add(new Event(now + after, order++, action));
    }

    /** Plays so many virtual seconds, then waits until all is over. */
    void play(int seconds) {
        at(300 * MILLI, this::trouble);
        runUntil(now + seconds * 1_000 * MILLI);
        calm = true;
        runUntil(now + 30_000 * MILLI + 3 * lease);
        for (Instance instance : instances) {
            if (!instance.groups.isEmpty() || !instance.pending.isEmpty()) {
                throw new Broken("stuck: " + instance + " waits for ever\n" + server.stored());
            }
        }
        server.at(wall(), runId());
        ShareOverview look = server.look(100);
        if (look.granted() > 0) {
            throw new Broken("leak: " + look + " at " + now + " of " + instances + "\n" + server.stored());
        }
        boolean mayLose = troubles.stream()
                .anyMatch(Set.of(Trouble.PAUSES, Trouble.FLUSH, Trouble.REVOCATION, Trouble.NETWORK)::contains);
        if (lost > 0 && !mayLose) {
            throw new Broken("lost: " + lost + " executions lost their permits");
        }
        instances.forEach(instance -> instance.dead = true);
        runUntil(now + 10_000 * MILLI + 2 * lease);
        server.at(wall(), runId());
        if (!server.stored().fields().isEmpty() || !server.stored().queue().isEmpty()) {
            throw new Broken("remains: " + server.stored());
        }
    }

    private void runUntil(long end) {
        while (!events.isEmpty() && events.peek().at <= end) {
            Event event = events.poll();
            now = event.at;
            event.action.run();
            checkLimit();
        }
        now = end;
    }

    private long wall() {
        return wallOffset + now;
    }

    private String runId() {
        return "run" + run;
    }

    private void checkLimit() {
        long used = 0;
        for (Instance instance : instances) {
            used += instance.used();
        }
        for (Detached each : detached.values()) {
            used += !each.attached && now < each.end - MARGIN ? each.weight : 0;
        }
        if (used > limit + revoked && now >= healsAt) {
            throw new Broken("limit: " + used + " of " + limit + " are used at " + now + " by " + instances + " and "
                    + detached.entrySet().stream()
                            .filter(each -> !each.getValue().attached && now < each.getValue().end - MARGIN)
                            .map(each -> each.getKey() + " until " + each.getValue().end).toList()
                    + "\n" + server.stored());
        }
    }

    // ---- Trouble

    private void trouble() {
        if (calm) {
            return;
        }
        if (has(Trouble.CRASHES) && oneIn(6)) {
            Instance victim = instances.get(random.nextInt(instances.size()));
            victim.dead = true;
            instances.remove(victim);
            detached.keySet().removeAll(victim.holds.keySet());
            begin();
        }
        if (has(Trouble.PAUSES) && oneIn(5)) {
            Instance victim = instances.get(random.nextInt(instances.size()));
            victim.pausedUntil = now + (100 + random.nextInt(2 * (int) (lease / MILLI))) * MILLI;
        }
        if (has(Trouble.CLOCK_BACK) && oneIn(5)) {
            wallOffset -= random.nextInt(5_000) * MILLI;
        }
        older.add(server.stored());
        if (has(Trouble.FAILOVER) && oneIn(12)) {
            run++;
            // Some of the last statements did not reach the replica; those of an instance that it has never seen did.
            Stored lagging = older.get(Math.max(0, older.size() - 1 - random.nextInt(3)));
            server.restore(random.nextInt(4) == 0 ? new Stored(Map.of(), Map.of(), 0, 0) : lagging);
            instances.forEach(instance -> at(random.nextInt(800) * MILLI, () -> instance.reconnect(runId())));
            older.clear();
            if (has(Trouble.PAUSES) || has(Trouble.NETWORK)) {
                // Some do not come back within the grace.
                healsAt = now + lease + 8_000 * MILLI;
            }
            forgetHolds();
        }
        if (has(Trouble.FLUSH) && oneIn(15)) {
            // By then each has stated its position.
            healsAt = now + lease + 2_000 * MILLI;
            forgetHolds();
            server.restore(new Stored(Map.of(), Map.of(), 0, 0));
        }
        if (has(Trouble.REVOCATION) && oneIn(5)) {
            // The instance uses what was revoked until it learns of it.
            int taken = (Integer) step(() -> server.revoke(instances.get(random.nextInt(instances.size())).name, "", 1));
            revoked += taken;
            at(lease, () -> revoked -= taken);
        }
        at(300 * MILLI, this::trouble);
    }

    /** What no instance holds is only on the server, so nothing states it again. */
    private void forgetHolds() {
        detached.keySet().removeIf(id -> instances.stream().noneMatch(instance -> instance.holds.containsKey(id)));
    }

    private long delay() {
        return has(Trouble.NETWORK) && oneIn(30) ? random.nextInt(6_000) * MILLI : random.nextInt(4_000);
    }

    private boolean loses() {
        return has(Trouble.NETWORK) && oneIn(15);
    }

    private Object step(Supplier<Object> operation) {
        server.at(wall(), runId());
        long before = lastServed;
        Object result = operation.get();
        for (ShareMachine.Sent sent : server.takeMessages()) {
            if (sent.message() instanceof ShareMessage.Granted granted) {
                noteTokens(granted.firstToken(), granted.tokens());
                noteServed(sent.instance(), granted.served(), before);
            }
            instances.stream().filter(instance -> instance.name.equals(sent.instance())).forEach(instance -> {
                for (int copies = loses() ? 0 : has(Trouble.NETWORK) && oneIn(15) ? 2 : 1; copies > 0; copies--) {
                    at(delay(), () -> instance.hear(sent.message()));
                }
            });
        }
        checkTotals();
        return result;
    }

    private void send(Instance from, Statement statement) {
        syncs++;
        long run = this.run;
        for (int copies = loses() ? 0 : has(Trouble.NETWORK) && oneIn(15) ? 2 : 1; copies > 0; copies--) {
            at(delay(), () -> {
                if (run != this.run && !has(Trouble.NETWORK)) {
                    return;
                }
                long before = lastServed;
                Position position = (Position) step(() -> server.sync(from.name, statement));
                noteServed(from.name, position.served(), before);
                noteTokens(position.firstToken(), position.tokens());
                if (!loses()) {
                    at(delay(), () -> from.answer(position));
                }
            });
        }
    }

    // ---- Rules about the server

    private void noteTokens(long first, long count) {
        boolean mayRepeat = troubles.contains(Trouble.CLOCK_BACK)
                && (troubles.contains(Trouble.FLUSH) || troubles.contains(Trouble.FAILOVER));
        if (count > 0 && !mayRepeat) {
            Map.Entry<Long, Long> before = tokens.floorEntry(first + count - 1);
            if (before != null && before.getValue() >= first) {
                throw new Broken("tokens: " + first + " to " + (first + count - 1) + " overlap with " + before);
            }
            tokens.put(first, first + count - 1);
        }
    }

    /** Without trouble, and with all calls of one weight, grants serve tickets in their order. */
    private void noteServed(String instance, long ticket, long servedBefore) {
        if (ticket > servedBy.getOrDefault(instance, 0L)) {
            if (troubles.isEmpty() && ticket < servedBefore) {
                throw new Broken("order: " + ticket + " was served after " + servedBefore);
            }
            servedBy.put(instance, ticket);
            lastServed = Math.max(lastServed, ticket);
        }
    }

    private void checkTotals() {
        Stored stored = server.stored();
        String totals = stored.fields().get("bulkhead");
        if (totals == null) {
            return;
        }
        String[] parts = totals.split(" ");
        long until = Long.parseLong(parts[9]);
        // Redis's clock may have been set back, and the time to live was given by it.
        long kept = stored.fieldsExpire() + Long.parseLong(parts[7]) / 1_000 + 1;
        long clock = Long.parseLong(parts[6]) / 1_000;
        long held = 0;
        long count = 0;
        long keepers = 0;
        for (Map.Entry<String, String> field : stored.fields().entrySet()) {
            long end = Long.MAX_VALUE;
            if (field.getKey().startsWith("i:")) {
                ShareRecord share = ShareRecord.parse(field.getKey(), field.getValue());
                require(share.share() >= share.offered && share.offered >= 0, "a share is not negative", stored);
                held += share.share();
                keepers += share.isKeeper() ? 1 : 0;
                count++;
                end = share.nextEnd();
                require(share.groups.isEmpty() || stored.queue().containsKey(share.instance.substring(2)),
                        "who waits is in the queue", stored);
                require(kept >= share.end, "the hash outlives the share", stored);
                require(share.offered == 0 || share.stated + ShareStore.OFFER_MILLIS > clock, "an offer has ended", stored);
                require(share.share() == 0 || share.end > clock, "a lease has ended", stored);
            } else if (field.getKey().startsWith("h:")) {
                HoldRecord hold = HoldRecord.parse(field.getKey(), field.getValue());
                held += hold.taken();
                end = hold.end;
                require(kept >= end, "the hash outlives the hold", stored);
            }
            require(until <= end, "the lower bound of ends", stored);
        }
        stored.queue().entrySet().stream()
                .min(Map.Entry.<String, Long> comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(first -> stored.fields().get("i:" + first.getKey())).map(text -> ShareRecord.parse("", text))
                .ifPresent(first -> require(first.isAlive(clock), "the head is dead", stored));
        require(held == Long.parseLong(parts[8]), "the permits held are " + held, stored);
        require(count == Long.parseLong(parts[12]), "the instances are " + count, stored);
        require(keepers == Long.parseLong(parts[13]), "the keepers are " + keepers, stored);
    }

    private static void require(boolean good, String rule, Stored stored) {
        if (!good) {
            throw new Broken("totals: " + rule + " in " + stored);
        }
    }

    // ---- An instance

    private static final class Group {

        private long ticket;
        private final long id;
        private final int weight;
        private int count;

        private Group(long id, int weight, int count) {
            this.id = id;
            this.weight = weight;
            this.count = count;
        }
    }

    private record Execution(int weight, long end) {
    }

    /** The instance's half of the protocol, as simple as it can be. */
    private final class Instance {

        private final String name;
        private long number;
        private long epoch;
        private long granted;
        private long confirmed;
        private long returned;
        private long revoked;
        private long leaseEnd;
        private long offerEnd;
        private boolean keeps;
        private long recalledUpTo;
        private boolean othersWait;
        private long served;
        private long highestToken;
        private String server = "";
        private long serverSince = -1;
        private boolean dead;
        private long pausedUntil;
        private long sentAt;
        private long sentBefore;
        private boolean inFlight;
        private boolean syncSoon = true;
        private long askAgainAt = Long.MAX_VALUE;
        private long idleSince;
        private long groupIds;
        private final List<Execution> executions = new ArrayList<>();
        private final List<Group> groups = new ArrayList<>();
        private final List<Integer> pending = new ArrayList<>();
        private final List<Integer> immediate = new ArrayList<>();
        private final Map<String, Statement.Hold> holds = new HashMap<>();
        private final Map<String, Long> holdEnds = new HashMap<>();
        private final Set<String> attaches = new HashSet<>();
        private int statedImmediate;
        private Set<String> statedHolds = Set.of();
        private Set<String> statedAttaches = Set.of();

        private Instance(String name) {
            this.name = name;
            this.server = runId();
        }

        private long share() {
            return granted - returned - revoked;
        }

        private long inUse() {
            return executions.stream().mapToLong(Execution::weight).sum();
        }

        private long idle() {
            return share() - inUse() - held() - toReturn;
        }

        /** What this process may use at this instant, whether it has noticed or not. */
        private long used() {
            if (dead || now >= leaseEnd) {
                return 0;
            }
            return granted > confirmed && now >= offerEnd ? Math.min(inUse(), Math.max(0, confirmed - returned - revoked))
                    : inUse();
        }

        private boolean isPaused(Runnable again) {
            if (now < pausedUntil) {
                at(pausedUntil - now, again);
                return true;
            }
            return dead;
        }

        /** Looks at its own clock, as it must before each start. */
        private void notice() {
            if (share() > 0 && now >= leaseEnd) {
                forget();
            } else if (granted > confirmed && now >= offerEnd) {
                granted = confirmed;
                if (share() < 0) {
                    forget();
                }
            }
            loseBeyond();
        }

        private void forget() {
            epoch = 0;
            granted = 0;
            confirmed = 0;
            returned = 0;
            revoked = 0;
            keeps = false;
            toReturn = 0;
            heldStated = holds.values().stream().mapToLong(Statement.Hold::weight).sum();
        }

        /** The youngest executions lose their permits. */
        private void loseBeyond() {
            toReturn = Math.min(toReturn, Math.max(0, share() - inUse() - held()));
            while (!executions.isEmpty() && inUse() + held() > Math.max(0, share())) {
                executions.remove(executions.size() - 1);
                lost++;
            }
        }

        private void reconnect(String runId) {
            if (!server.equals(runId)) {
                server = runId;
                serverSince = now;
            }
            inFlight = false;
            syncSoon = true;
            tick(false);
        }

        private void tick() {
            tick(true);
        }

        private void tick(boolean again) {
            if (isPaused(again ? this::tick : () -> tick(false))) {
                return;
            }
            notice();
            executions.removeIf(execution -> execution.end <= now && finish(execution));
            if (!calm && oneIn(4)) {
                call();
            }
            startWaiting();
            boolean returns = toReturn > 0 || idle() > 0 && (!keeps || now - idleSince > KEEP_IDLE);
            boolean waiting = !groups.isEmpty() || !pending.isEmpty();
            boolean due = syncSoon || returns || !immediate.isEmpty() || !attaches.isEmpty() || !holds.isEmpty()
                    || waiting && groups.stream().noneMatch(group -> group.ticket == 0) && !pending.isEmpty()
                    || waiting && now - sentAt > 1_000 * MILLI || granted > confirmed
                    || share() > 0 && now - sentAt > lease / 3 || now >= askAgainAt;
            if (inFlight && now - sentAt > TIMEOUT) {
                inFlight = false;
                due = true;
            }
            if (due && !inFlight) {
                sync();
            }
            if (again) {
                at((5 + random.nextInt(40)) * MILLI, this::tick);
            }
        }

        /** An execution has ended; its permit may stay taken, in the name of this or of no instance. */
        private boolean finish(Execution execution) {
            if (has(Trouble.HOLDS) && oneIn(4)) {
                String id = name + "-" + order++;
                long millis = 200 + random.nextInt(1_500);
                holds.put(id, new Statement.Hold(id, execution.weight, millis, 0, random.nextBoolean() ? "digest" : "", "m"));
                holdEnds.put(id, now + millis * MILLI);
                detached.put(id, new Detached(execution.weight, now + millis * MILLI));
            } else if (!keeps) {
                toReturn += execution.weight;
            }
            idleSince = now;
            return true;
        }

        private void call() {
            int weight = troubles.contains(Trouble.WEIGHTS) && oneIn(3) ? 2 : 1;
            boolean queued = !groups.isEmpty() || !pending.isEmpty();
            if (!queued && idle() >= weight && !othersWait) {
                start(weight);
            } else if (oneIn(3)) {
                immediate.add(weight);
            } else {
                pending.add(weight);
            }
            if (has(Trouble.HOLDS) && oneIn(5) && !detached.isEmpty()) {
                attaches.add(detached.keySet().stream().sorted().skip(random.nextInt(detached.size())).findFirst().get());
            }
        }

        /** Permits of holds that no statement has returned yet. */
        private long held() {
            return holds.values().stream().mapToLong(Statement.Hold::weight).sum() - heldStated;
        }

        private long heldStated;
        /** Permits whose execution has ended, for the next statement. */
        private long toReturn;

        private void start(int weight) {
            starts++;
            executions.add(new Execution(weight, now + (10 + random.nextInt(oneIn(5) ? 1_500 : 150)) * MILLI));
        }

        private void startWaiting() {
            if (now >= leaseEnd) {
                return;
            }
            while (!groups.isEmpty() && groups.get(0).ticket > 0 && idle() >= groups.get(0).weight
                    && (!othersWait || groups.get(0).ticket <= served)) {
                Group first = groups.get(0);
                start(first.weight);
                first.count--;
                if (first.count == 0) {
                    groups.remove(0);
                }
            }
        }

        private void sync() {
            if (!pending.isEmpty() && groups.stream().noneMatch(group -> group.ticket == 0) && groups.size() < 30) {
                int weight = pending.get(0);
                int count = 0;
                while (!pending.isEmpty() && pending.get(0) == weight) {
                    pending.remove(0);
                    count++;
                }
                groups.add(new Group(++groupIds, weight, count));
            }
            boolean heavyHead = !groups.isEmpty() && groups.get(0).weight > idle();
            returned += toReturn + held() + (!keeps || now - idleSince > KEEP_IDLE || heavyHead ? Math.max(0, idle()) : 0);
            toReturn = 0;
            // The permits of holds are returned with the statement; those that were lost meanwhile are none any more.
            List<Statement.Hold> stated = new ArrayList<>();
            holds.values().stream().sorted(Comparator.comparing(Statement.Hold::id)).forEach(hold -> {
                long left = (holdEnds.get(hold.id()) - now) / MILLI;
                stated.add(new Statement.Hold(hold.id(), hold.weight(), left, 0, hold.digest(), hold.method()));
            });
            heldStated = holds.values().stream().mapToLong(Statement.Hold::weight).sum();
            statedHolds = Set.copyOf(holds.keySet());
            statedAttaches = Set.copyOf(attaches);
            statedImmediate = immediate.size();
            List<Need> needs = groups.stream().map(group -> new Need(group.ticket, group.id, group.weight, group.count))
                    .toList();
            sentBefore = sentAt;
            sentAt = now;
            inFlight = true;
            syncSoon = false;
            askAgainAt = Long.MAX_VALUE;
            send(this, new Statement(ComparedShares.BULKHEAD, ++number, epoch, granted, returned, revoked, lease / MILLI, limit,
                    keeps, troubles.contains(Trouble.KEEPING) && !calm, needs,
                    immediate.stream().map(weight -> new Need(0, 0, weight, 1)).toList(), highestToken, oneIn(10) ? 100 : 0,
                    server, serverSince < 0 ? -1 : (now - serverSince) / MILLI, stated,
                    attaches.stream().sorted().map(id -> new Statement.Attach(id, "digest")).toList()));
        }

        private void answer(Position position) {
            if (isPaused(() -> answer(position)) || position.number() != number || !inFlight) {
                return;
            }
            inFlight = false;
            boolean hadShare = share() > 0;
            notice();
            if (now >= sentAt + lease - MARGIN || hadShare && share() == 0 && epoch == 0) {
                // The lease ended here meanwhile.
                forget();
                syncSoon = true;
                return;
            }
            if (position.epoch() != epoch) {
                epoch = position.epoch();
                returned = 0;
                granted = position.granted();
            }
            confirmed = position.granted();
            granted = Math.max(granted, confirmed);
            revoked = position.revoked();
            leaseEnd = sentAt + lease - MARGIN;
            for (String id : position.attached().keySet()) {
                if (attaches.remove(id)) {
                    Detached permit = detached.get(id);
                    if (permit == null) {
                        permit = new Detached(position.attached().get(id).weight(), now);
                    }
                    if (permit.attached && !troubles.contains(Trouble.FLUSH) && !troubles.contains(Trouble.FAILOVER)) {
                        throw new Broken("attached twice: " + id);
                    }
                    permit.attached = true;
                    executions.add(new Execution(permit.weight, now + 100 * MILLI));
                }
            }
            attaches.removeAll(statedAttaches);
            holds.keySet().removeAll(statedHolds);
            heldStated = 0;
            loseBeyond();
            served = Math.max(served, position.served());
            othersWait = position.othersWait();
            highestToken = Math.max(highestToken, Math.max(position.ticket(), position.firstToken() + position.tokens()));
            server = position.server();
            groups.stream().filter(group -> group.ticket == 0).forEach(group -> group.ticket = position.ticket());
            if (number > recalledUpTo) {
                keeps = position.mayKeep();
            }
            askAgainAt = position.askAgainMillis() > 0 ? now + position.askAgainMillis() * MILLI : Long.MAX_VALUE;
            startWaiting();
            for (int i = 0; i < statedImmediate && !immediate.isEmpty(); i++) {
                int weight = immediate.remove(0);
                if (idle() >= weight && (groups.isEmpty() || keeps)) {
                    start(weight);
                }
            }
            statedImmediate = 0;
            idleSince = now;
        }

        private void hear(ShareMessage message) {
            if (isPaused(() -> hear(message))) {
                return;
            }
            notice();
            if (message instanceof ShareMessage.Granted offer) {
                long sent = offer.number() == number ? sentAt : offer.number() == number - 1 ? sentBefore : 0;
                long end = sent + ShareStore.OFFER_MILLIS * MILLI - MARGIN;
                if (offer.epoch() == epoch && offer.granted() > granted && sent > 0 && now < end) {
                    granted = offer.granted();
                    offerEnd = end;
                    leaseEnd = Math.max(leaseEnd, end);
                    served = Math.max(served, offer.served());
                    othersWait = offer.othersWait();
                    highestToken = Math.max(highestToken, offer.firstToken() + offer.tokens());
                    startWaiting();
                }
            } else if (message instanceof ShareMessage.Recalled recall) {
                keeps = false;
                recalledUpTo = Math.max(recalledUpTo, recall.number());
            }
            syncSoon = true;
        }

        @Override
        public String toString() {
            return name + "(epoch " + epoch + " granted " + granted + " confirmed " + confirmed + " returned " + returned
                    + " revoked "
                    + revoked + " uses " + used() + " lease end " + leaseEnd + " waits " + groups.size() + "+" + pending.size()
                    + ")";
        }
    }
}
