package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
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

    /** Equal tickets are ordered by name, as Redis does. */
    private static final Comparator<Map.Entry<String, Long>> ORDER = Map.Entry.<String, Long> comparingByValue()
            .thenComparing(Map.Entry.comparingByKey());

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
    private OptionalInt resized;

    /** By field; null for a missing one. */
    private final Map<String, StoredRecord> records = new HashMap<>();
    private final Set<StoredRecord> offers = new LinkedHashSet<>();
    private final List<Sent> messages = new ArrayList<>();
    private final Map<String, Position.Attached> attached = new TreeMap<>();
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
        scanIfDue();
        ticket = Math.max(ticket, statement.highestToken());
        StoredRecord mine = share(instance);
        if (mine != null && statement.number() <= mine.number) {
            // It changes nothing. But tokens of permits that it attached were lost with the first answer.
            createHolds(statement.holds(), 0);
            attach(mine, statement, statement.epoch() == mine.epoch ? statement.granted() : -1, true);
            return position(mine, statement, false, 0, 0, 0, mine.callsServed, 0);
        }
        boolean matches = mine != null && statement.epoch() == mine.epoch && mine.epoch >= since
                && statement.granted() <= mine.granted;
        if (notesNewRun(statement, matches)) {
            matches = false;
            mine = share(instance);
        }
        int limit = resized.orElse(statement.limit());
        long room = now < grace ? MOST_COUNTED : limit - held;
        if (mine == null) {
            mine = create(StoredRecord.SHARE + instance);
            instances++;
        } else if (mine.epoch < since && unconfirmed > 0) {
            unconfirmed--;
        }
        if (matches) {
            returnPermits(mine, statement);
        } else {
            claim(mine, statement, room);
        }
        attach(mine, statement, matches ? statement.granted() : -1, false);
        if (unconfirmed == 0) {
            grace = 0;
        }
        mine.number = statement.number();
        mine.stated = from;
        mine.lease = statement.leaseMillis();
        mine.end = Math.max(mine.end, from + mine.lease);
        mine.limit = statement.limit();
        mine.recalled = 0;
        lineUp(mine, statement, matches ? mine.granted - statement.granted() - attachedPermits() : 0, limit);
        boolean isUnmet = serve(mine) || !mine.groups.isEmpty();
        mine.groups.removeIf(group -> !group.waits());
        queue(mine);
        StoredRecord waiter = firstBeside(mine);
        boolean othersWait = waiter != null;
        if (othersWait && !statement.holds().isEmpty()) {
            // It learns when they end.
            messages.add(new Sent(waiter.name, new ShareMessage.Changed(bulkhead)));
        }
        if (isUnmet) {
            noteUnmet(instance);
        }
        long others = keepers - (mine.counted ? 1 : 0);
        // The last recall does not reach what it keeps from now on, so it counts as a new keeper.
        keepers = others;
        mine.counted = false;
        // A recall does not reach the instance that needs it. If that kept permits, others would wait for them until the next
        // recall.
        boolean mayKeep = statement.wantsToKeep() && !othersWait && !(isUnmet && others > 0) && now >= grace
                && instances <= ShareStore.MOST_KEEPERS
                && now - (unmetBy.equals(instance) ? unmetElse : Math.max(unmetAt, unmetElse)) > ShareStore.UNMET_MILLIS;
        mine.keeps = statement.keeps() || mayKeep;
        long recalled = isUnmet ? recall(mine, others) : 0;
        // No permit is free, none is kept, and no call waits: this instance may reject calls by itself for a moment.
        boolean isFull = isUnmet && recalled == 0 && !othersWait && mine.groups.isEmpty() && held >= limit && now >= grace
                && statement.wantsToKeep();
        tellOffers();
        long change = Math.min(now < grace ? grace : isUnmet ? Math.max(nextEnd, pause) : NEVER,
                recalled > 0 ? now + ShareStore.RECALL_MILLIS : NEVER);
        long askAgain = change == NEVER ? 0 : Math.max(1, change - now);
        // What an instance wants grows with its permits. Permits that it keeps serve calls without a step.
        long most = Math.max(Math.max(1, spareTokens()), mine.keeps ? mine.taken() : 0);
        long wanted = Math.min(statement.tokens(), most);
        long tokens = Math.min(MOST_TOKENS, wanted + (mine.callsServed > 0 ? mine.callsServed + MORE_TOKENS : 0));
        int otherLimit = declared == statement.limit() ? 0 : (int) declared;
        declared = statement.limit();
        long full = isFull ? Math.max(ShareStore.FULL_MILLIS, instances / ShareStore.ASKING_PER_MILLI) : 0;
        return position(mine, statement, mayKeep, recalled, full, askAgain, tokens, otherLimit);
    }

    /**
     * Writes, and states the position of an instance. What was offered since its last statement is no part of that: the
     * instance would take it for a share with a full lease.
     */
    private Position position(StoredRecord mine, Statement statement, boolean mayKeep, long recalled, long full,
            long askAgain, long tokens, int otherLimit) {
        boolean isNewGroup = statement.needs().stream().anyMatch(need -> need.ticket() == 0 && need.group() == mine.group);
        long confirmed = mine.taken() - mine.offered;
        // If not all that was claimed had room, nothing was granted beyond that.
        long admitted = Math.max(0, Math.min(claimed(statement), confirmed - attachedPermits()));
        boolean othersWait = firstBeside(mine) != null;
        long firstToken = tokens > 0 ? draw(tokens) : 0;
        write();
        return new Position(statement.number(), mine.epoch, mine.granted - mine.offered, admitted, mine.revoked,
                confirmed > 0 ? mine.lease : 0, resized.orElse(mine.limit), isNewGroup ? mine.groupTicket : 0, mine.served,
                othersWait, mayKeep, (int) recalled, full, Math.max(0, grace - now), askAgain, firstToken, (int) tokens,
                attached, otherLimit, server);
    }

    private static long claimed(Statement statement) {
        return statement.granted() - statement.returned() - statement.revoked();
    }

    /**
     * Takes permits away.
     *
     * @param field {@code i:<instance>}, or {@code h:<id>} for a permit that no instance holds
     * @param permits how many permits of an instance
     * @return how many permits were taken away
     */
    public int revoke(String field, int permits) {
        if (missing) {
            return 0;
        }
        scanIfDue();
        StoredRecord record = record(field);
        long taken = 0;
        if (record != null && record.end > now) {
            // A permit that no instance holds is attached as a whole. An offer ends by itself, and its instance may not know it
            // yet.
            long most = record.isHold() ? record.granted : permits;
            taken = Math.max(0, Math.min(most, record.taken() - record.offered));
            record.revoked += taken;
            if (!record.isHold()) {
                messages.add(new Sent(record.name, new ShareMessage.Changed(bulkhead)));
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
        shares().forEach(share -> messages.add(new Sent(share.name, new ShareMessage.Changed(bulkhead))));
        serveAfterwards();
        return before;
    }

    private void serveAfterwards() {
        serve(null);
        tellOffers();
        write();
    }

    /**
     * Reads the bulkhead, and changes nothing.
     *
     * @param most how many instances to list at most
     * @return its state
     */
    public ShareOverview look(int most) {
        List<ShareOverview.Share> listed = shares()
                .map(share -> new ShareOverview.Share(share.name, share.end > now ? (int) share.taken() : 0,
                        share.end > now && share.taken() > 0 ? share.end - now : 0, Math.max(0, now - share.stated),
                        share.keeps,
                        share.waits(now) ? share.groups.stream().mapToInt(Need::count).sum() : 0))
                .sorted(Comparator.<ShareOverview.Share> comparingInt(share -> share.permits() > 0 ? 0 : 1)
                        .thenComparingLong(ShareOverview.Share::leaseMillis).thenComparing(ShareOverview.Share::instance))
                .toList();
        List<Statement.Hold> detached = all().filter(each -> each.isHold() && each.end > now && each.taken() > 0)
                .map(hold -> new Statement.Hold(hold.name, (int) hold.taken(), hold.end - now, Math.max(0, now - hold.stated),
                        hold.digest, hold.method))
                .toList();
        int granted = listed.stream().mapToInt(ShareOverview.Share::permits).sum()
                + detached.stream().mapToInt(Statement.Hold::weight).sum();
        TreeSet<Integer> limits = shares().filter(share -> now - share.stated < ShareStore.DECLARED_MILLIS)
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
                && statement.revoked() >= 0 && claimed(statement) >= 0
                && Math.max(statement.number(), statement.epoch()) <= MOST_COUNTED
                && Math.max(statement.granted(), statement.highestToken()) <= MOST_COUNTED
                && statement.leaseMillis() > 0 && statement.leaseMillis() <= MOST_LEASE_MILLIS && statement.limit() > 0
                && statement.tokens() >= 0;
        // Loops, because this is part of the first call, and classes of streams take time to load.
        for (Need need : statement.calls()) {
            good &= need.weight() > 0 && need.count() >= (need.waits() ? 0 : 1);
        }
        for (Statement.Hold hold : statement.holds()) {
            good &= hold.weight() > 0;
        }
        if (!good) {
            throw new StoreException(
                    "The statement about bulkhead " + statement.bulkhead() + " is not a position: " + statement,
                    null);
        }
    }

    /** Finds out whether the server was started since the data was written. */
    private boolean notesNewRun(Statement statement, boolean matches) {
        boolean isNew = false;
        // No instance has stated its position, though an operator may have set a limit.
        boolean isUnknown = server.isEmpty() && instances == 0;
        if (!matches || !statement.server().equals(server)) {
            String actual = actualServer.isEmpty() ? statement.server() : actualServer;
            isNew = !server.isEmpty() && !actual.isEmpty() && !actual.equals(server);
            server = actual.isEmpty() ? server : actual;
        }
        if (isNew) {
            since = draw(1);
            unconfirmed = 0;
            scan(false);
            grace = from + ShareStore.GRACE_MILLIS;
        }
        if (isUnknown || isNew && unconfirmed == 0) {
            // An instance that still states another run has not noticed the new one.
            boolean isBehind = !statement.server().isEmpty() && !statement.server().equals(server);
            long known = isBehind ? 0 : statement.serverSinceMillis();
            unconfirmed = -1;
            grace = known >= 0 && known < ShareStore.GRACE_MILLIS ? from + ShareStore.GRACE_MILLIS - known : 0;
        }
        return isNew;
    }

    private void returnPermits(StoredRecord mine, Statement statement) {
        long before = mine.taken();
        mine.returned = Math.max(mine.returned, statement.returned());
        // Of permits that were revoked, the instance may have returned some before it knew.
        mine.revoked = Math.min(mine.revoked, mine.granted - mine.returned);
        mine.offered = 0;
        held -= before - mine.taken();
        createHolds(statement.holds(), before - mine.taken());
    }

    /** The store does not know this position: what is stated is admitted as far as there is room, in a new epoch. */
    private void claim(StoredRecord mine, Statement statement, long roomBefore) {
        long freed = mine.taken();
        // A permit whose attaching was answered, but the answer was lost, leaves the share, to be attached again.
        for (Statement.Attach wish : statement.attaches()) {
            StoredRecord hold = hold(wish.id());
            if (hold != null && hold.by.equals(mine.name) && hold.epoch == mine.epoch && hold.granted <= freed) {
                hold.by = "";
                hold.returned = 0;
                freed -= hold.granted;
            }
        }
        long room = Math.max(0, roomBefore + freed);
        held -= freed;
        room = createHolds(statement.holds(), room);
        mine.epoch = draw(1);
        mine.granted = Math.min(room, claimed(statement));
        mine.offered = 0;
        mine.returned = 0;
        mine.revoked = 0;
        held += mine.granted;
    }

    /**
     * Creates holds. What they take must be covered, by permits that were just returned or by room; returns what is left of
     * that. Tells which of the stated ones the store does not have.
     */
    private long createHolds(List<Statement.Hold> stated, long coveredBefore) {
        long covered = coveredBefore;
        for (Statement.Hold each : stated) {
            boolean isMissing = hold(each.id()) == null;
            if (isMissing && (each.leaseMillis() <= 0 || each.weight() > covered)) {
                attached.put(each.id(), Position.Attached.REFUSED);
            } else if (isMissing) {
                StoredRecord hold = create(StoredRecord.HOLD + each.id());
                hold.granted = each.weight();
                hold.end = from + each.leaseMillis();
                hold.stated = now - each.startedMillis();
                hold.digest = each.digest();
                hold.method = each.method();
                covered -= each.weight();
                held += each.weight();
                nextEnd = Math.min(nextEnd, hold.end);
            }
        }
        return covered;
    }

    /** Lets detached permits join the share, or tells again that they did. */
    private void attach(StoredRecord mine, Statement statement, long known, boolean onlyTell) {
        for (Statement.Attach wish : statement.attaches()) {
            StoredRecord hold = hold(wish.id());
            if (hold != null && !onlyTell && hold.taken() > 0 && hold.end > now && !hold.digest.isEmpty()
                    && hold.digest.equals(wish.digest())) {
                mine.granted += hold.granted;
                hold.returned = hold.granted;
                hold.by = mine.name;
                hold.epoch = mine.epoch;
                hold.byGranted = mine.granted;
            }
            // If the instance knows of so many permits, it knows that it has attached this one, and this is another try.
            if (hold != null && hold.by.equals(mine.name) && hold.epoch == mine.epoch && known < hold.byGranted) {
                attached.put(hold.name, new Position.Attached((int) hold.granted, Math.max(0, now - hold.stated)));
                mine.callsServed++;
            }
        }
    }

    private long attachedPermits() {
        return attached.values().stream().mapToLong(Position.Attached::weight).sum();
    }

    // ---- The queue

    /** Takes over the calls of an instance without those that were granted permits of which it does not know. */
    private void lineUp(StoredRecord mine, Statement statement, long unknownPermits, int limit) {
        long unknown = unknownPermits;
        long latest = ticket;
        mine.groups.clear();
        for (Need need : statement.calls()) {
            long place = need.waits() ? Math.min(need.ticket(), latest) : need.ticket();
            if (place == 0) {
                if (need.group() != mine.group || mine.groupTicket == 0) {
                    mine.group = need.group();
                    mine.groupTicket = draw(1);
                }
                place = mine.groupTicket;
            }
            long known = Math.min(need.count(), Math.max(0, unknown) / need.weight());
            unknown -= known * need.weight();
            // Its instance learns the limit from the answer. A place without calls stops those behind it.
            if ((need.count() > known || need.count() == 0) && need.weight() <= limit) {
                mine.groups.add(new Need(place, 0, need.weight(), (int) (need.count() - known)));
            }
        }
    }

    private void queue(StoredRecord share) {
        if (share.groups.isEmpty()) {
            queue.remove(share.name);
        } else {
            queue.put(share.name, share.groups.get(0).ticket());
        }
    }

    /** The first in the queue, apart from one; removes those that are dead or want nothing any more. */
    private StoredRecord firstBeside(StoredRecord apart) {
        while (true) {
            Optional<String> first = queue.entrySet().stream()
                    .filter(each -> apart == null || !each.getKey().equals(apart.name))
                    .min(ORDER).map(Map.Entry::getKey);
            StoredRecord share = first.map(this::share).orElse(null);
            if (first.isEmpty() || share != null && share.waits(now)) {
                return share;
            }
            queue.remove(first.get());
            if (share != null) {
                share.groups.clear();
            }
        }
    }

    /**
     * Gives what is free to the calls in the queue and to those of this instance, in ticket order. A heavy one that waits
     * blocks; tells whether one that does not wait was refused.
     */
    private boolean serve(StoredRecord mine) {
        boolean isRefused = false;
        while (true) {
            StoredRecord share = firstBeside(mine);
            if (mine != null && !mine.groups.isEmpty()
                    && (share == null || share.groups.get(0).ticket() >= mine.groups.get(0).ticket())) {
                share = mine;
            }
            if (share == null) {
                return isRefused;
            }
            Need group = share.groups.get(0);
            int limit = resized.orElse(share.limit);
            int calls = now < grace ? 0 : (int) Math.min(group.count(), Math.max(0, limit - held) / group.weight());
            if (group.waits() && group.weight() <= limit && calls == 0) {
                return isRefused;
            }
            if (calls > 0) {
                grant(share, calls, group.weight(), share == mine);
                share.served = group.waits() ? Math.max(share.served, group.ticket()) : share.served;
            }
            int left = group.count() - calls;
            isRefused |= !group.waits() && left > 0;
            if (left == 0 || !group.waits() || group.weight() > limit) {
                share.groups.remove(0);
            } else {
                share.groups.set(0, new Need(group.ticket(), 0, group.weight(), left));
            }
            if (share != mine) {
                queue(share);
            }
        }
    }

    private void grant(StoredRecord share, long calls, int weight, boolean isCaller) {
        long permits = calls * weight;
        share.granted += permits;
        held += permits;
        share.callsServed += calls;
        if (!isCaller) {
            share.offered += permits;
            // An instance trusts an offer for so long, whatever its lease is.
            share.end = Math.max(share.end, share.stated + ShareStore.OFFER_MILLIS);
            offers.add(share);
            noteUnmet(share.name);
        }
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
        for (StoredRecord share : offers) {
            // A single permit may protect data by its tokens, which must not be ahead of the clock.
            long spare = resized.orElse(share.limit) > 1 ? Math.min(TURN_TOKENS, spareTokens()) : 0;
            long tokens = Math.min(MOST_TOKENS, share.callsServed + Math.max(MORE_TOKENS, spare));
            messages.add(new Sent(share.name, new ShareMessage.Granted(bulkhead, share.number, share.epoch, share.granted,
                    share.revoked, share.served, firstBeside(share) != null, draw(tokens), (int) tokens)));
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

    /** Recalls what others keep, so many instances; tells how many can be expected to answer. */
    private long recall(StoredRecord mine, long others) {
        if (others <= 0 || now < grace) {
            return 0;
        }
        if (now - recalledAt < ShareStore.RECALL_MILLIS) {
            return Math.min(expected, others);
        }
        recalledAt = now;
        expected = 0;
        shares().filter(share -> share != mine && share.isKeeper()).forEach(share -> {
            if (share.recalled == 0) {
                share.recalled = now;
            }
            expected += now - share.recalled < ShareStore.DEAF_MILLIS ? 1 : 0;
            messages.add(new Sent(share.name, new ShareMessage.Recalled(bulkhead, share.number)));
        });
        return expected;
    }

    // ---- Time

    private void scanIfDue() {
        // Calls that wait are stated every second. If none was, the server itself was away.
        boolean afterStandstill = !queue.isEmpty() && now - lastStep >= STANDSTILL_MILLIS;
        // In the grace period, leases have been renewed with the server before.
        if (afterStandstill || now >= nextEnd && now >= pause && now >= grace) {
            scan(afterStandstill);
        }
    }

    /**
     * Removes what has ended, and counts the totals again. After a standstill of the server, the places of those that were
     * alive before last until their instances had time to state them. Once, because it may also be that all of them are dead.
     */
    private void scan(boolean afterStandstill) {
        long epoch = draw(1);
        all().filter(record -> afterStandstill && !record.groups.isEmpty()
                && lastStep - record.stated < ShareStore.WAITER_MILLIS - RESTATED_MILLIS).forEach(record -> {
                    record.stated = Math.max(record.stated, now - ShareStore.WAITER_MILLIS + RESTATED_MILLIS);
                });
        all().filter(record -> record.nextEnd() <= now).forEach(record -> end(record, epoch));
        held = 0;
        instances = 0;
        keepers = 0;
        nextEnd = NEVER;
        long old = 0;
        List<StoredRecord> left = all().toList();
        for (StoredRecord record : left) {
            held += record.taken();
            nextEnd = Math.min(nextEnd, record.nextEnd());
            record.counted = record.isKeeper();
            keepers += record.counted ? 1 : 0;
            if (!record.isHold()) {
                instances++;
                old += record.epoch < since ? 1 : 0;
            }
        }
        unconfirmed = unconfirmed < 0 ? -1 : old;
        pause = now + left.size() / SCANNED_PER_MILLI;
    }

    private void end(StoredRecord record, long epoch) {
        boolean leaseEnded = record.taken() > 0 && record.end <= now;
        boolean offerEnded = record.offered > 0 && record.stated + ShareStore.OFFER_MILLIS <= now;
        if ((leaseEnded || offerEnded) && !record.isHold()) {
            // What is left begins a new epoch, and late copies of statements may follow. Its instance may still wait for the
            // answer that it has attached a permit.
            if (!leaseEnded) {
                all().filter(hold -> hold.by.equals(record.name) && hold.epoch == record.epoch)
                        .forEach(hold -> hold.epoch = epoch);
            }
            record.granted = leaseEnded ? 0 : record.taken() - record.offered;
            record.epoch = epoch;
            record.offered = 0;
            record.returned = 0;
            record.revoked = 0;
            record.keeps &= !leaseEnded;
            record.end = leaseEnded ? from + record.lease : record.end;
        } else {
            queue.remove(record.name);
            records.put(record.field, null);
        }
    }

    private long draw(long count) {
        long first = Math.max(ticket + 1, micros);
        ticket = first + count - 1;
        return first;
    }

    // ---- Fields

    /** All records, in order. */
    private Stream<StoredRecord> all() {
        Set<String> names = new TreeSet<>(records.keySet());
        names.addAll(fields.keySet());
        return names.stream().filter(StoredRecord::isRecord).map(this::record).filter(Objects::nonNull).toList().stream();
    }

    private Stream<StoredRecord> shares() {
        return all().filter(record -> !record.isHold());
    }

    private StoredRecord share(String instance) {
        return record(StoredRecord.SHARE + instance);
    }

    private StoredRecord hold(String id) {
        return record(StoredRecord.HOLD + id);
    }

    private StoredRecord create(String field) {
        StoredRecord record = new StoredRecord(field);
        records.put(field, record);
        return record;
    }

    private StoredRecord record(String field) {
        if (!records.containsKey(field) && fields.containsKey(field)) {
            records.put(field, new StoredRecord(field, fields.get(field)));
        }
        return records.get(field);
    }

    private void write() {
        records.forEach((field, record) -> {
            if (record == null) {
                fields.remove(field);
                return;
            }
            keepers += (record.isKeeper() ? 1 : 0) - (record.counted ? 1 : 0);
            // The last recall did not reach a new keeper.
            recalledAt = record.isKeeper() && !record.counted ? 0 : recalledAt;
            nextEnd = Math.min(nextEnd, record.nextEnd());
            keepUntil = Math.max(keepUntil, Math.max(record.end, record.stated + ShareStore.WAITER_MILLIS));
            fields.put(field, record.text());
        });
        keepUntil = Math.max(keepUntil, grace);
        if (keepUntil + SLACK_MILLIS > kept) {
            kept = keepUntil + 2 * SLACK_MILLIS;
            expireMillis = kept - now;
        }
        fields.put(TOTALS, JsonArray.of(LAYOUT, server, since, grace, unconfirmed, ticket, micros, offset, held, nextEnd, pause,
                kept, instances, keepers, unmetBy, unmetAt, unmetElse, recalledAt, expected, declared)
                .encode());
        expireQueueMillis = queue.isEmpty() ? 0 : kept - now;
    }
}
