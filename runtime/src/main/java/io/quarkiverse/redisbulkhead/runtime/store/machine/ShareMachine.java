package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.machine.StoredRecord.Hold;
import io.quarkiverse.redisbulkhead.runtime.store.machine.StoredRecord.Share;
import io.vertx.core.json.JsonArray;

/**
 * One step of one bulkhead: what {@code share.lua} does, in Java. It works on the fields of the hash and on the members of the
 * queue, which it changes at the end of the step; generated histories compare the two.
 * <p>
 * An instance serves one operation. A step that throws has changed nothing.
 */
public final class ShareMachine {

    /** The version of the data. Another version is refused. */
    public static final int LAYOUT = 1;

    /** The fields of the hash beside those of instances and holds. */
    private static final String TOTALS = "bulkhead";
    private static final String LIMIT = "limit";

    /** How many instances a step serves, skips or ends at most. */
    private static final int MOST = 1_000;

    /** Keys outlive what they hold by at least this. */
    public static final long SLACK_MILLIS = 1_000;

    private static final long MOST_LEASE_MILLIS = 365L * 24 * 3600 * 1000;
    private static final long LIMIT_SET_MILLIS = 30L * 24 * 3600 * 1000;
    private static final long STANDSTILL_MILLIS = 2_000;
    private static final long RESTATED_MILLIS = 1_500;

    /**
     * A grant brings a token for each call and so many more; an offer one for each microsecond of the 10 ms for which an
     * instance may pass permits on.
     */
    private static final int MORE_TOKENS = 16;
    private static final int TURN_TOKENS = 10_000;
    private static final int MOST_TOKENS = 1 << 20;

    /** After a scan, none for a millisecond per so many records: a scan takes about 7 µs per record, so 7 % of the server. */
    private static final int SCANNED_PER_MILLI = 10;

    /** Counters and tickets stay below 2^53 by far; weights and counts are smaller. */
    private static final long MOST_COUNTED = 1L << 52;

    /** An end that does not come. */
    private static final long NEVER = 1L << 53;

    /**
     * A message to an instance.
     *
     * @param instance its name
     * @param message the content
     */
    public record Sent(String instance, ShareMessage message) {
    }

    /** A member of the queue. Equal tickets are ordered by name, as Redis does. */
    private record Place(long ticket, String instance) implements Comparable<Place> {

        private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::ticket)
                .thenComparing(Place::instance);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private final BulkheadId bulkhead;
    private final Map<String, String> fields;
    private final Map<String, Long> queue;
    private final String actualServer;
    private final boolean missing;
    private final long micros;
    private final long now;
    /** When the last step was; in microseconds, and in milliseconds. */
    private final long lastMicros;
    private final long lastStep;
    /** What ends so long after this has had its full time. */
    private final long from;

    private String server = "";
    private long since;
    private long grace;
    /** How many records of an earlier run have not been stated since; -1: the grace period lasts its full time. */
    private long unconfirmed = -1;
    private long ticket;
    private long offset;
    private long held;
    private long nextEnd = NEVER;
    private long pause;
    private long kept;
    private long instances;
    private long keepers;
    private String unmetBy = "";
    private long unmetAt;
    private long unmetElse;
    private long recalledAt;
    private long expected;
    private long declared;
    private long other;
    private long otherUntil;
    private OptionalInt resized;

    /** By field; null for a missing one. */
    private final Map<String, StoredRecord> records = new HashMap<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private final Set<Share> offers = new LinkedHashSet<>();
    /** The queue as this step makes it. */
    private final TreeSet<Place> line = new TreeSet<>();
    private final List<Sent> messages = new ArrayList<>();
    private int budget = MOST;
    private long callsServed;
    /** How many permits the instance was granted and does not know of. */
    private long unknown;
    private long keepUntil;
    private long expireMillis;
    private long expireQueueMillis;

    /**
     * Loads a bulkhead.
     *
     * @param bulkhead the bulkhead
     * @param fields the fields of its hash; changed by the step
     * @param queue the members of its queue to their tickets; changed by the step
     * @param wallMicros the clock of the server
     * @param server the run id of the server; empty if it cannot be told
     */
    public ShareMachine(BulkheadId bulkhead, Map<String, String> fields, Map<String, Long> queue, long wallMicros,
            String server) {
        this.bulkhead = bulkhead;
        this.fields = fields;
        this.queue = queue;
        this.actualServer = server;
        queue.forEach((instance, place) -> line.add(new Place(place, instance)));
        resized = fields.containsKey(LIMIT) ? OptionalInt.of(Integer.parseInt(fields.get(LIMIT))) : OptionalInt.empty();
        String totals = fields.get(TOTALS);
        missing = totals == null;
        lastMicros = missing ? 0 : read(totals);
        offset = wallMicros >= lastMicros ? 0 : Math.max(offset, lastMicros - wallMicros);
        micros = wallMicros + offset;
        now = Math.floorDiv(micros, 1_000L);
        lastStep = Math.floorDiv(lastMicros, 1_000L);
        from = -Math.floorDiv(-micros, 1_000L);
    }

    private long read(String text) {
        String layout = text.replaceFirst("(?s)\\[?([^\\s,]*).*", "$1");
        if (!layout.equals(Integer.toString(LAYOUT))) {
            throw new StoreException("The data of bulkhead " + bulkhead + " has layout " + layout
                    + ", and this version of the extension reads layout " + LAYOUT
                    + ". Update all applications to one version, or use another quarkus.redis-bulkhead.key-prefix.",
                    null);
        }
        JsonArray totals = new JsonArray(text);
        server = totals.getString(1);
        since = totals.getLong(2);
        grace = totals.getLong(3);
        unconfirmed = totals.getLong(4);
        ticket = totals.getLong(5);
        offset = totals.getLong(7);
        held = totals.getLong(8);
        nextEnd = totals.getLong(9);
        pause = totals.getLong(10);
        kept = totals.getLong(11);
        instances = totals.getLong(12);
        keepers = totals.getLong(13);
        unmetBy = totals.getString(14);
        unmetAt = totals.getLong(15);
        unmetElse = totals.getLong(16);
        recalledAt = totals.getLong(17);
        expected = totals.getLong(18);
        declared = totals.getLong(19);
        other = totals.getLong(20);
        otherUntil = totals.getLong(21);
        return totals.getLong(6);
    }

    // ---- Operations

    /**
     * States the position of an instance.
     *
     * @param instance its name, without spaces
     * @param statement its position
     * @return its position as the store has it
     */
    public Position sync(String instance, Statement statement) {
        check(statement);
        if (!queue.isEmpty() && now - lastStep >= STANDSTILL_MILLIS) {
            excuseStandstill();
        }
        scanIfDue();
        ticket = Math.max(ticket, statement.highestToken());
        Share mine = share(instance);
        if (mine != null && statement.number() <= mine.number) {
            return late(mine, statement);
        }
        boolean matches = mine != null && statement.epoch() == mine.epoch && mine.epoch >= since
                && statement.granted() <= mine.granted;
        if (notesNewRun(statement, matches)) {
            matches = false;
            mine = share(instance);
        }
        boolean inGrace = now < grace;
        if (mine == null) {
            mine = new Share(instance);
            records.put(mine.field, mine);
            instances++;
        } else if (mine.epoch < since && unconfirmed > 0) {
            unconfirmed--;
        }
        int limit = resized.orElse(statement.limit());
        long admitted = matches ? returnPermits(mine, statement)
                : claim(mine, statement, inGrace ? MOST_COUNTED : limit - held);
        Map<String, Position.Attached> attached = attach(mine, statement, matches ? statement.granted() : -1, false);
        if (unconfirmed == 0) {
            grace = 0;
        }
        unknown = matches ? mine.granted - statement.granted() - weightOf(attached) : 0;
        mine.number = statement.number();
        mine.stated = from;
        mine.lease = statement.leaseMillis();
        mine.end = Math.max(mine.end, from + mine.lease);
        mine.limit = statement.limit();
        mine.recalled = 0;
        mine.full = false;
        changed.add(mine.field);
        lineUp(mine, statement.needs(), limit);
        long given = newGroup(statement.needs()) < 0 ? 0 : mine.groupTicket;
        serve(mine);
        boolean othersWait = isWaitedBeside(instance);
        boolean isUnmet = serveImmediate(mine, statement.immediate(), limit, othersWait) || !mine.groups.isEmpty();
        if (isUnmet) {
            noteUnmet(instance);
        }
        mine.keeps = statement.keeps();
        countKeeper(mine);
        long others = keepers - (mine.counted ? 1 : 0);
        // A recall does not reach the instance that needs it. If that kept permits, others would wait for them until the next
        // recall.
        boolean mayKeep = statement.wantsToKeep() && !othersWait && !(isUnmet && others > 0) && now >= grace
                && instances <= ShareStore.MOST_KEEPERS
                && now - (unmetBy.equals(instance) ? unmetElse : Math.max(unmetAt, unmetElse)) > ShareStore.UNMET_MILLIS;
        mine.keeps |= mayKeep;
        countKeeper(mine);
        long recalled = isUnmet ? recall(mine, others) : 0;
        tellOffers();
        tellFreed();
        // No permit is free, none is kept, and no call waits: this instance rejects calls until it gets a message.
        boolean isFull = isUnmet && recalled == 0 && !othersWait && mine.groups.isEmpty() && held >= limit && now >= grace;
        mine.full = isFull && statement.wantsToKeep() && instances <= ShareStore.MOST_NOTIFIED;
        queue(mine);
        long change = Math.min(isUnmet ? Math.max(nextEnd, pause) : NEVER,
                Math.min(now < grace ? grace : NEVER, recalled > 0 ? now + ShareStore.RECALL_MILLIS : NEVER));
        long askAgain = change == NEVER ? 0 : Math.max(1, change - now);
        // What an instance wants grows with its permits. Permits that it keeps serve calls without a step.
        long most = Math.max(Math.max(1, spareTokens()), mine.keeps ? mine.taken() : 0);
        long wanted = Math.min(statement.tokens(), most);
        long tokens = Math.min(MOST_TOKENS, wanted + (callsServed > 0 ? callsServed + MORE_TOKENS : 0));
        Set<Integer> otherLimits = declare(statement.limit());
        long firstToken = tokens > 0 ? draw(tokens) : 0;
        write();
        return new Position(statement.number(), mine.epoch, mine.granted, admitted, mine.revoked,
                mine.taken() > 0 ? mine.lease : 0, limit, given, mine.served, othersWait, mayKeep, (int) recalled, mine.full,
                Math.max(0, grace - now), askAgain, firstToken, (int) tokens, attached, otherLimits, server);
    }

    /**
     * Takes permits away.
     *
     * @param instance the instance; empty for a permit that no instance holds
     * @param permitId the permit that no instance holds
     * @param permits how many permits of the instance
     * @return how many permits were taken away
     */
    public int revoke(String instance, String permitId, int permits) {
        if (missing) {
            return 0;
        }
        scanIfDue();
        String field = instance.isEmpty() ? Hold.FIELD + permitId : Share.FIELD + instance;
        StoredRecord record = record(field);
        long taken = 0;
        if (record != null && record.end > now) {
            taken = record.revoke(permits);
            changed.add(field);
            if (record instanceof Share) {
                messages.add(new Sent(instance, new ShareMessage.Changed(bulkhead)));
            }
        }
        held -= taken;
        serveAfterwards();
        return (int) taken;
    }

    /**
     * Sets the limit of all instances, and tells them.
     *
     * @param limit the limit; 0 to undo
     * @return whether one was set before
     */
    public boolean resize(int limit) {
        boolean before = resized.isPresent();
        if (missing && limit == 0) {
            return false;
        }
        scanIfDue();
        resized = limit == 0 ? OptionalInt.empty() : OptionalInt.of(limit);
        if (limit == 0) {
            fields.remove(LIMIT);
        } else {
            fields.put(LIMIT, Integer.toString(limit));
            keepUntil = from + LIMIT_SET_MILLIS;
        }
        all(Share.class).forEach(share -> messages.add(new Sent(share.name, new ShareMessage.Changed(bulkhead))));
        serveAfterwards();
        return before;
    }

    private void serveAfterwards() {
        serve(null);
        tellOffers();
        tellFreed();
        write();
    }

    /**
     * Reads the bulkhead, and changes nothing.
     *
     * @param most how many instances to list at most
     * @return its state
     */
    public ShareOverview look(int most) {
        List<ShareOverview.Share> listed = all(Share.class)
                .map(share -> new ShareOverview.Share(share.name, share.end > now ? (int) share.taken() : 0,
                        share.end > now && share.taken() > 0 ? share.end - now : 0, Math.max(0, now - share.stated),
                        share.keeps,
                        share.waits(now) ? share.groups.stream().mapToInt(group -> group.count).sum() : 0))
                .sorted(Comparator.<ShareOverview.Share> comparingInt(share -> share.permits() > 0 ? 0 : 1)
                        .thenComparingLong(ShareOverview.Share::leaseMillis).thenComparing(ShareOverview.Share::instance))
                .toList();
        List<ShareOverview.Held> detached = all(Hold.class).filter(hold -> hold.end > now && hold.taken() > 0)
                .map(hold -> new ShareOverview.Held(new Statement.Hold(hold.name, hold.weight, hold.end - now,
                        Math.max(0, now - hold.started), hold.digest, hold.method)))
                .toList();
        int granted = listed.stream().mapToInt(ShareOverview.Share::permits).sum()
                + detached.stream().mapToInt(each -> each.hold().weight()).sum();
        TreeSet<Integer> limits = all(Share.class)
                .filter(share -> now - share.stated < ShareStore.DECLARED_MILLIS)
                .map(share -> share.limit).collect(Collectors.toCollection(TreeSet::new));
        return new ShareOverview(granted, listed.stream().mapToInt(ShareOverview.Share::waiting).sum(), resized, limits,
                listed.subList(0, Math.min(most, listed.size())), detached);
    }

    /** The messages of the step. */
    public List<Sent> messages() {
        return List.copyOf(messages);
    }

    /** How long the keys live from now on, milliseconds; 0: they live as long as they did. */
    public long expireMillis() {
        return expireMillis;
    }

    /** How long the queue lives from now on, milliseconds; 0: it lives as long as it did. */
    public long expireQueueMillis() {
        return expireQueueMillis;
    }

    // ---- A statement

    /**
     * Refuses a statement that is no position, so that no store computes with it.
     *
     * @param statement the statement
     */
    public static void check(Statement statement) {
        boolean good = statement.number() > 0 && statement.epoch() >= 0 && statement.returned() >= 0
                && statement.revoked() >= 0 && statement.granted() - statement.returned() - statement.revoked() >= 0
                && Stream.of(statement.number(), statement.epoch(), statement.granted(), statement.highestToken())
                        .allMatch(each -> each <= MOST_COUNTED)
                && statement.leaseMillis() > 0 && statement.leaseMillis() <= MOST_LEASE_MILLIS && statement.limit() > 0
                && statement.tokens() >= 0
                && Stream.concat(statement.needs().stream(), statement.immediate().stream())
                        .allMatch(need -> need.weight() > 0 && need.count() > 0)
                && statement.holds().stream().allMatch(hold -> hold.weight() > 0);
        if (!good) {
            throw new StoreException(
                    "The statement about bulkhead " + statement.bulkhead() + " is not a position: " + statement,
                    null);
        }
    }

    /** A statement that is not newer than the last one changes nothing, and what was offered since is no part of the answer. */
    private Position late(Share mine, Statement statement) {
        Map<String, Position.Attached> attached = attach(mine, statement,
                statement.epoch() == mine.epoch ? statement.granted() : -1, true);
        boolean othersWait = isWaitedBeside(mine.name);
        boolean repeatsGroup = newGroup(statement.needs()) == mine.group;
        long confirmed = mine.taken() - mine.offered;
        long claimed = statement.granted() - statement.returned() - statement.revoked();
        write();
        return new Position(statement.number(), mine.epoch, mine.granted - mine.offered,
                Math.max(0, Math.min(claimed, confirmed - weightOf(attached))), mine.revoked, confirmed > 0 ? mine.lease : 0,
                resized.orElse(mine.limit), repeatsGroup ? mine.groupTicket : 0, mine.served, othersWait, false, 0, false,
                Math.max(0, grace - now), 0, 0, 0, attached, Set.of(), server);
    }

    /** Finds out whether the server was started since the data was written. */
    private boolean notesNewRun(Statement statement, boolean matches) {
        boolean isNew = false;
        if (missing || !matches || !statement.server().equals(server)) {
            String actual = actualServer.isEmpty() ? statement.server() : actualServer;
            isNew = !missing && !server.isEmpty() && !actual.isEmpty() && !actual.equals(server);
            server = actual.isEmpty() ? server : actual;
        }
        if (isNew) {
            since = draw(1);
            unconfirmed = 0;
            scan();
            grace = from + ShareStore.GRACE_MILLIS;
        }
        boolean nothingKnown = missing || isNew && unconfirmed == 0;
        if (nothingKnown) {
            // An instance that still states another run has not noticed the new one.
            boolean isBehind = !statement.server().isEmpty() && !statement.server().equals(server);
            long known = isBehind ? 0 : statement.serverSinceMillis();
            unconfirmed = -1;
            grace = known >= 0 && known < ShareStore.GRACE_MILLIS ? from + ShareStore.GRACE_MILLIS - known : 0;
        }
        return isNew;
    }

    private long returnPermits(Share mine, Statement statement) {
        long before = mine.taken();
        mine.returned = Math.max(mine.returned, statement.returned());
        // Of permits that were revoked, the instance may have returned some before it knew.
        mine.revoked = Math.min(mine.revoked, mine.granted - mine.returned);
        mine.offered = 0;
        held -= before - mine.taken();
        hold(statement.holds(), before - mine.taken());
        return 0;
    }

    /** The store does not know this position: what is stated is admitted as far as there is room, in a new epoch. */
    private long claim(Share mine, Statement statement, long roomBefore) {
        long freed = mine.taken();
        // A permit whose attaching was answered, but the answer was lost, leaves the share, to be attached again.
        for (Statement.Attach wish : statement.attaches()) {
            Hold hold = hold(wish.id());
            if (hold != null && hold.by.equals(mine.name) && hold.epoch == mine.epoch && hold.weight <= freed) {
                hold.by = "";
                freed -= hold.weight;
                changed.add(hold.field);
            }
        }
        long room = Math.max(0, roomBefore + freed);
        held -= freed;
        room = hold(statement.holds(), room);
        mine.epoch = draw(1);
        mine.granted = Math.min(room, statement.granted() - statement.returned() - statement.revoked());
        mine.offered = 0;
        mine.returned = 0;
        mine.revoked = 0;
        held += mine.granted;
        return mine.granted;
    }

    /** Creates holds. What they take must be covered, by permits that were just returned or by room. */
    private long hold(List<Statement.Hold> stated, long coveredBefore) {
        long covered = coveredBefore;
        for (Statement.Hold each : stated) {
            if (hold(each.id()) == null && each.leaseMillis() > 0 && each.weight() <= covered) {
                records.put(Hold.FIELD + each.id(), new Hold(each.id(), each.weight(), from + each.leaseMillis(),
                        now - each.startedMillis(), each.digest(), each.method()));
                changed.add(Hold.FIELD + each.id());
                covered -= each.weight();
                held += each.weight();
            }
        }
        return covered;
    }

    /**
     * Lets detached permits join the share, or tells again that they did; and tells which of the stated holds the store does
     * not have.
     */
    private Map<String, Position.Attached> attach(Share mine, Statement statement, long known, boolean onlyTell) {
        Map<String, Position.Attached> attached = new TreeMap<>();
        for (Statement.Hold stated : statement.holds()) {
            if (hold(stated.id()) == null) {
                attached.put(stated.id(), Position.Attached.REFUSED);
            }
        }
        for (Statement.Attach wish : statement.attaches()) {
            Hold hold = hold(wish.id());
            if (hold != null && !onlyTell && hold.taken() > 0 && hold.end > now && !hold.digest.isEmpty()
                    && hold.digest.equals(wish.digest())) {
                mine.granted += hold.weight;
                hold.by = mine.name;
                hold.epoch = mine.epoch;
                hold.granted = mine.granted;
                changed.add(hold.field);
            }
            // If the instance knows of so many permits, it knows that it has attached this one, and this is another try.
            if (hold != null && hold.by.equals(mine.name) && hold.epoch == mine.epoch && known < hold.granted) {
                attached.put(hold.name, new Position.Attached(hold.weight, Math.max(0, now - hold.started)));
                callsServed++;
            }
        }
        return attached;
    }

    private static long weightOf(Map<String, Position.Attached> attached) {
        return attached.values().stream().mapToLong(Position.Attached::weight).sum();
    }

    // ---- The queue

    private static long newGroup(List<Statement.Need> needs) {
        Statement.Need last = needs.isEmpty() ? null : needs.get(needs.size() - 1);
        return last != null && last.ticket() == 0 ? last.group() : -1;
    }

    /** Stores the needs of an instance without what it was granted and does not know of. */
    private void lineUp(Share mine, List<Statement.Need> needs, int limit) {
        long latest = ticket;
        mine.groups = new ArrayList<>();
        for (Statement.Need need : needs) {
            long place = Math.min(need.ticket(), latest);
            if (need.ticket() == 0) {
                if (need.group() != mine.group || mine.groupTicket == 0) {
                    mine.group = need.group();
                    mine.groupTicket = draw(1);
                }
                place = mine.groupTicket;
            }
            int count = unserved(need);
            // Its instance learns the limit from the answer.
            if (count > 0 && need.weight() <= limit) {
                mine.groups.add(new Share.Group(place, need.weight(), count));
            }
        }
        queue(mine);
    }

    /** How many of these calls were not granted permits that their instance does not know of. */
    private int unserved(Statement.Need need) {
        long served = Math.min(need.count(), Math.max(0, unknown) / need.weight());
        unknown -= served * need.weight();
        return (int) (need.count() - served);
    }

    private void queue(Share share) {
        leave(share.name);
        if (!share.groups.isEmpty() || share.full) {
            // The highest limit comes first, because its instance is the first for which a permit is free.
            line.add(new Place(share.groups.isEmpty() ? NEVER - share.limit : share.groups.get(0).ticket, share.name));
        }
    }

    private void leave(String instance) {
        line.removeIf(place -> place.instance().equals(instance));
    }

    /**
     * The first in the queue, apart from one; removes those that are dead or want nothing any more. Those with calls that wait
     * come first.
     */
    private Share first(Share caller, String apart) {
        for (Place place : List.copyOf(line)) {
            if (place.instance().equals(apart)) {
                continue;
            }
            Share share = share(place.instance());
            if (share != null && (share == caller || share.isAlive(now))) {
                return share;
            }
            if (budget == 0) {
                return null;
            }
            spend();
            leave(place.instance());
            if (share != null) {
                share.groups.clear();
                share.full = false;
                changed.add(share.field);
            }
        }
        return null;
    }

    private boolean isWaitedBeside(String instance) {
        Share other = first(null, instance);
        return other != null && !other.groups.isEmpty();
    }

    /** Gives what is free to the queue in ticket order. A heavy head blocks. */
    private void serve(Share caller) {
        Share share = first(caller, null);
        while (share != null && !share.groups.isEmpty() && budget > 0) {
            Share.Group group = share.groups.get(0);
            int limit = resized.orElse(share.limit);
            long fit = now < grace ? 0 : Math.min(group.count, Math.max(0, limit - held) / group.weight);
            if (group.weight <= limit && fit == 0) {
                return;
            }
            spend();
            if (fit > 0) {
                grant(share, fit, group.weight, share == caller);
                share.served = Math.max(share.served, group.ticket);
                group.count -= (int) fit;
            }
            if (group.count == 0 || group.weight > limit) {
                share.groups.remove(0);
            }
            changed.add(share.field);
            queue(share);
            share = first(caller, null);
        }
    }

    /** What a step leaves undone, the next one does. */
    private void spend() {
        budget--;
        nextEnd = budget == 0 ? now : nextEnd;
    }

    private void grant(Share share, long calls, int weight, boolean isCaller) {
        long permits = calls * weight;
        share.granted += permits;
        held += permits;
        if (isCaller) {
            callsServed += calls;
        } else {
            share.offered += permits;
            share.callsServed += calls;
            // An instance trusts an offer for so long, whatever its lease is.
            share.end = Math.max(share.end, share.stated + ShareStore.OFFER_MILLIS);
            offers.add(share);
            noteUnmet(share.name);
        }
    }

    /** Serves calls that do not wait, if no call waits; tells whether one was refused. */
    private boolean serveImmediate(Share mine, List<Statement.Need> needs, int limit, boolean othersWait) {
        boolean refused = false;
        for (Statement.Need need : needs) {
            int count = unserved(need);
            long fit = now < grace || othersWait || !mine.groups.isEmpty() ? 0
                    : Math.min(count, Math.max(0, limit - held) / need.weight());
            if (fit > 0) {
                grant(mine, fit, need.weight(), true);
            }
            refused |= fit < count && need.weight() <= limit;
        }
        return refused;
    }

    /**
     * How many tokens each instance that gets some in this step may have: not more together than the clock has advanced, so
     * that tokens do not run further ahead of the clock with each step. They begin with it again if data is lost.
     */
    private long spareTokens() {
        return (micros - lastMicros) / (offers.size() + 1);
    }

    /** Tells the offers of this step to their instances. */
    private void tellOffers() {
        for (Share share : offers) {
            // A single permit may protect data by its tokens, which must not be ahead of the clock.
            long spare = resized.orElse(share.limit) > 1 ? Math.min(TURN_TOKENS, spareTokens()) : 0;
            long tokens = Math.min(MOST_TOKENS, share.callsServed + Math.max(MORE_TOKENS, spare));
            messages.add(new Sent(share.name, new ShareMessage.Granted(bulkhead, share.number, share.epoch, share.granted,
                    share.revoked, share.served, isWaitedBeside(share.name), draw(tokens), (int) tokens)));
        }
    }

    /** Notifies instances that reject calls by themselves: a permit is free. */
    private void tellFreed() {
        Share share = first(null, null);
        while (share != null && share.groups.isEmpty() && held < resized.orElse(share.limit) && budget > 0) {
            spend();
            noteUnmet(share.name);
            messages.add(new Sent(share.name, new ShareMessage.Freed(bulkhead, share.number)));
            share.full = false;
            changed.add(share.field);
            queue(share);
            share = first(null, null);
        }
    }

    // ---- Keeping

    /** Notes whose needs were not met. */
    private void noteUnmet(String instance) {
        if (!unmetBy.equals(instance)) {
            unmetElse = Math.max(unmetAt, unmetElse);
            unmetBy = instance;
        }
        unmetAt = now;
    }

    private void countKeeper(Share share) {
        int more = share.newKeepers();
        keepers += more;
        if (more > 0) {
            // The last recall did not reach it.
            recalledAt = 0;
        }
    }

    /** Recalls what others keep, so many instances; tells how many can be expected to answer. */
    private long recall(Share mine, long others) {
        if (others <= 0 || now < grace) {
            return 0;
        }
        if (now - recalledAt < ShareStore.RECALL_MILLIS) {
            return Math.min(expected, others);
        }
        recalledAt = now;
        expected = 0;
        all(Share.class).filter(share -> share != mine && share.isKeeper()).forEach(share -> {
            if (share.recalled == 0) {
                share.recalled = now;
                changed.add(share.field);
            }
            expected += now - share.recalled < ShareStore.DEAF_MILLIS ? 1 : 0;
            messages.add(new Sent(share.name, new ShareMessage.Recalled(bulkhead, share.number)));
        });
        return expected;
    }

    // ---- Time

    /**
     * Calls that wait are stated every second. If none was, the server itself was away, so the places of those that were alive
     * before last until their instances had time to state them. Once, because it may also be that all of them are dead.
     */
    private void excuseStandstill() {
        all(Share.class).filter(share -> !share.groups.isEmpty()
                && lastStep - share.stated < ShareStore.WAITER_MILLIS - RESTATED_MILLIS)
                .forEach(share -> {
                    share.stated = Math.max(share.stated, now - ShareStore.WAITER_MILLIS + RESTATED_MILLIS);
                    changed.add(share.field);
                });
    }

    private void scanIfDue() {
        if (now >= nextEnd && now >= pause) {
            scan();
        }
    }

    /** Removes what has ended, and counts the totals again. */
    private void scan() {
        long epoch = draw(1);
        all(StoredRecord.class).filter(record -> record.nextEnd() <= now).forEach(record -> {
            if (budget > 0) {
                spend();
                end(record, epoch);
            }
        });
        held = 0;
        instances = 0;
        keepers = 0;
        nextEnd = NEVER;
        long old = 0;
        List<StoredRecord> left = all(StoredRecord.class).toList();
        for (StoredRecord record : left) {
            held += record.taken();
            nextEnd = Math.min(nextEnd, record.nextEnd());
            if (record instanceof Share share) {
                instances++;
                old += share.epoch < since ? 1 : 0;
                share.newKeepers();
                keepers += share.isKeeper() ? 1 : 0;
            }
        }
        unconfirmed = unconfirmed < 0 ? -1 : old;
        pause = now + left.size() / SCANNED_PER_MILLI;
    }

    private void end(StoredRecord record, long epoch) {
        changed.add(record.field);
        if (record instanceof Share share) {
            boolean leaseEnded = share.taken() > 0 && share.end <= now;
            if (leaseEnded || share.offered > 0 && share.stated + ShareStore.OFFER_MILLIS <= now) {
                // What is left begins a new epoch, and late copies of statements may follow.
                share.granted = leaseEnded ? 0 : share.taken() - share.offered;
                share.epoch = epoch;
                share.offered = 0;
                share.returned = 0;
                share.revoked = 0;
                share.keeps &= !leaseEnded;
                share.end = leaseEnded ? from + share.lease : share.end;
                return;
            }
            leave(share.name);
        }
        records.put(record.field, null);
    }

    private long draw(long count) {
        long first = Math.max(ticket + 1, micros);
        ticket = first + count - 1;
        return first;
    }

    // ---- Fields

    /** All records of a kind, in order. */
    private <T extends StoredRecord> Stream<T> all(Class<T> kind) {
        Set<String> names = new TreeSet<>(records.keySet());
        names.addAll(fields.keySet());
        return names.stream().map(this::record).filter(kind::isInstance).map(kind::cast).toList().stream();
    }

    private Share share(String instance) {
        return (Share) record(Share.FIELD + instance);
    }

    private Hold hold(String id) {
        return (Hold) record(Hold.FIELD + id);
    }

    private StoredRecord record(String field) {
        if (!records.containsKey(field) && fields.containsKey(field)) {
            records.put(field, StoredRecord.parse(field, fields.get(field)));
        }
        return records.get(field);
    }

    /** Notes a declared limit; tells another one of the last minute. */
    private Set<Integer> declare(int limit) {
        if (limit != declared) {
            other = declared;
            otherUntil = now + ShareStore.DECLARED_MILLIS;
            declared = limit;
        }
        return now < otherUntil && other > 0 ? Set.of((int) other) : Set.of();
    }

    private void write() {
        for (String field : changed) {
            StoredRecord record = records.get(field);
            if (record == null) {
                fields.remove(field);
                continue;
            }
            if (record instanceof Share share) {
                countKeeper(share);
                keepUntil = Math.max(keepUntil, share.stated + ShareStore.WAITER_MILLIS);
            }
            nextEnd = Math.min(nextEnd, record.nextEnd());
            keepUntil = Math.max(keepUntil, record.end);
            fields.put(field, record.text());
        }
        keepUntil = Math.max(keepUntil, grace);
        if (keepUntil + SLACK_MILLIS > kept) {
            kept = keepUntil + 2 * SLACK_MILLIS;
            expireMillis = kept - now;
        }
        fields.put(TOTALS, JsonArray.of(LAYOUT, server, since, grace, unconfirmed, ticket, micros, offset, held, nextEnd, pause,
                kept, instances, keepers, unmetBy, unmetAt, unmetElse, recalledAt, expected, declared, other, otherUntil)
                .encode());
        queue.clear();
        line.forEach(place -> queue.put(place.instance(), place.ticket()));
        expireQueueMillis = line.isEmpty() ? 0 : kept - now;
    }
}
