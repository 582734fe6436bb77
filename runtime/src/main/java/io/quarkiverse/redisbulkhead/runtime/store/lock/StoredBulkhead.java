package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine;
import io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine.Contents;
import io.quarkiverse.redisbulkhead.runtime.store.local.Permit;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore.Settings;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * What Redis keeps of a bulkhead, read in one round trip into the state machine {@link BulkheadStateMachine}, and the commands
 * that write what a step has changed there. {@code bulkhead.lua} documents the layout.
 * <p>
 * A bulkhead with too many holders and waiters is read in part: its first holders and waiters, and the ids that the step is
 * about. That is enough to release and renew, and to remove the dead, but not to grant or hand over anything.
 */
final class StoredBulkhead {

    /** The grace period is an entry of the queue that is no waiter, scored by its end in milliseconds. */
    private static final String GRACE_ENTRY = "grace period";

    // Names of fields that are no permit ids, because those have no white space.
    private static final String LAST_TICKET = "last ticket";
    private static final String KEPT_UNTIL = "kept until";
    private static final String SET_LIMIT = "set limit";
    private static final String DECLARED_LIMITS = "declared limits";
    private static final String ALIVE = "alive ";

    private static final List<Part> SETS = List.of(Part.HOLDERS, Part.QUEUE, Part.STANDBY, Part.CANCELLED);
    private static final List<Part> PERMITS = List.of(Part.HOLDERS, Part.QUEUE, Part.STANDBY);

    /** From here on, a double, as the scripts use it, does not hold each whole number. */
    private static final long END_OF_TICKETS = (1L << 53) - 1;
    private static final int MOST_DIGITS = 16;

    private static final long SET_LIMIT_LASTS_MILLIS = RedisSemaphore.RESIZE_LASTS_DAYS * 24L * 3_600 * 1_000;

    private final BulkheadKeys keys;
    private final Settings settings;
    private final List<String> ids;
    private final List<Long> sizes;
    private final Map<Part, Map<String, Long>> sets = new EnumMap<>(Part.class);
    private final Map<String, String> state = new HashMap<>();
    private long micros;
    private BulkheadStateMachine bulkhead;

    private StoredBulkhead(BulkheadKeys keys, Settings settings, List<String> ids, List<Long> sizes) {
        this.keys = keys;
        this.settings = settings;
        // One more, because the command needs at least one.
        this.ids = Stream.concat(ids.stream().flatMap(id -> Weights.entries(id).stream()), Stream.of(GRACE_ENTRY)).distinct()
                .toList();
        this.sizes = sizes;
    }

    /** Commands that count holders, fair waiters and other waiters. */
    static List<Request> sizes(BulkheadKeys keys) {
        return PERMITS.stream().map(part -> Request.cmd(Command.ZCARD).arg(keys.of(part))).toList();
    }

    /**
     * Reads a bulkhead.
     *
     * @param ids what must be known, however much there is
     * @param sizes the replies to {@link #sizes}
     * @param sender sends the commands
     * @param connection for more reads of a bulkhead that is read in part
     */
    static Future<StoredBulkhead> read(BulkheadKeys keys, Settings settings, List<String> ids, List<Response> sizes,
            Function<List<Request>, Future<List<Response>>> sender, RedisCall.Connection connection) {
        StoredBulkhead stored = new StoredBulkhead(keys, settings, ids, sizes.stream().map(Response::toLong).toList());
        return sender.apply(stored.reads()).compose(replies -> {
            stored.know(replies);
            return stored.isWhole() ? Future.succeededFuture() : stored.readRecords(connection);
        }).map(read -> stored.open());
    }

    /** Whether everything was read. */
    boolean isWhole() {
        // The grace period may be one of them.
        return sizes.stream().mapToLong(size -> size).sum() <= settings.most() + 1;
    }

    /** The state machine, at the instant of the reading. */
    BulkheadStateMachine bulkhead() {
        return bulkhead;
    }

    /**
     * What operators see.
     *
     * @param most how many holders, and how many waiters, to list; of a bulkhead that is read in part, the first of them
     */
    Occupancy occupancy(int most) {
        Occupancy read = bulkhead.occupancy(most);
        return isWhole() ? read
                : new Occupancy((int) (sizes.get(PERMITS.indexOf(Part.HOLDERS)) - endedHolders()), 0,
                        read.waiting() + unread(Part.QUEUE) + unread(Part.STANDBY), read.resizedTo(), read.declaredLimits(),
                        read.holders(),
                        read.waiters());
    }

    private long endedHolders() {
        long now = Math.floorDiv(micros, 1_000L);
        return sets.get(Part.HOLDERS).values().stream().filter(end -> end <= now).count();
    }

    private int unread(Part part) {
        return (int) (sizes.get(PERMITS.indexOf(part)) - sets.get(part).size());
    }

    private List<Request> reads() {
        List<Request> reads = new ArrayList<>();
        reads.add(settings.clock().command().get());
        for (Part part : SETS) {
            boolean all = isWhole() && part != Part.CANCELLED;
            reads.add(Request.cmd(Command.ZRANGE).arg(key(part)).arg(0).arg(all ? -1 : settings.most() - 1)
                    .arg("WITHSCORES"));
            reads.add(command(Command.ZMSCORE, part, ids));
        }
        if (isWhole()) {
            // Not HGETALL, whose reply depends on the version of the protocol.
            reads.add(Request.cmd(Command.HKEYS).arg(key(Part.STATE)));
            reads.add(Request.cmd(Command.HVALS).arg(key(Part.STATE)));
        } else {
            reads.add(command(Command.HMGET, Part.STATE, fieldsInPart()));
        }
        return reads;
    }

    private List<String> fieldsInPart() {
        return Stream
                .concat(Stream.of(LAST_TICKET, KEPT_UNTIL, SET_LIMIT, DECLARED_LIMITS, ALIVE + settings.process()),
                        ids.stream())
                .toList();
    }

    private void know(List<Response> replies) {
        int next = 0;
        micros = settings.clock().micros().applyAsLong(replies.get(next++));
        for (Part part : SETS) {
            Map<String, Long> members = members(replies.get(next++));
            Response scores = replies.get(next++);
            for (int i = 0; i < ids.size(); i++) {
                if (scores.get(i) != null) {
                    members.put(ids.get(i), score(scores.get(i)));
                }
            }
            sets.put(part, members);
        }
        List<String> fields = isWhole() ? replies.get(next++).stream().map(Response::toString).toList() : fieldsInPart();
        know(fields, replies.get(next));
    }

    private void know(List<String> fields, Response values) {
        for (int i = 0; i < fields.size(); i++) {
            if (values.get(i) != null) {
                state.put(fields.get(i), values.get(i).toString());
            }
        }
    }

    /** Members with scores, in the form of either version of the protocol. */
    private static Map<String, Long> members(Response reply) {
        Map<String, Long> members = new HashMap<>();
        if (reply.size() > 0 && reply.get(0).type() == ResponseType.MULTI) {
            reply.forEach(pair -> members.put(pair.get(0).toString(), score(pair.get(1))));
        } else {
            for (int i = 0; i < reply.size(); i += 2) {
                members.put(reply.get(i).toString(), score(reply.get(i + 1)));
            }
        }
        return members;
    }

    private static long score(Response number) {
        return number.toDouble().longValue();
    }

    private Future<Void> readRecords(RedisCall.Connection connection) {
        List<String> unknown = permitIds().stream().filter(id -> !ids.contains(id)).toList();
        return readFields(connection, unknown).compose(read -> readFields(connection, permitIds().stream()
                .flatMap(id -> details(id).stream()).map(details -> ALIVE + details.mailbox()).distinct().toList()));
    }

    private Future<Void> readFields(RedisCall.Connection connection, List<String> fields) {
        return fields.isEmpty() ? Future.succeededFuture()
                : connection.send(command(Command.HMGET, Part.STATE, fields)).map(values -> {
                    know(fields, values);
                    return null;
                });
    }

    private Set<String> permitIds() {
        return PERMITS.stream().flatMap(part -> sets.get(part).keySet().stream()).collect(Collectors.toSet());
    }

    private Optional<PermitDetails> details(String id) {
        return Optional.ofNullable(state.get(id)).flatMap(PermitDetails::parse);
    }

    private Request command(Command command, Part part, List<String> arguments) {
        Request request = Request.cmd(command).arg(key(part));
        arguments.forEach(request::arg);
        return request;
    }

    private byte[] key(Part part) {
        return keys.of(part);
    }

    private StoredBulkhead open() {
        Map<String, Long> queue = new HashMap<>(sets.get(Part.QUEUE));
        Long gracePeriodEnd = queue.remove(GRACE_ENTRY);
        Map<String, Permit> permits = new HashMap<>();
        permitIds()
                .forEach(id -> details(id).ifPresent(details -> permits.put(id, permit(id, details, queue.containsKey(id)))));
        Map<String, Long> alive = new HashMap<>();
        state.forEach((field, value) -> {
            if (field.startsWith(ALIVE)) {
                alive.put(field.substring(ALIVE.length()), Long.valueOf(value));
            }
        });
        OptionalInt resizedTo = state.containsKey(SET_LIMIT) ? OptionalInt.of(Integer.parseInt(state.get(SET_LIMIT)))
                : OptionalInt.empty();
        bulkhead = new BulkheadStateMachine(keys.bulkhead(), new Contents(sets.get(Part.HOLDERS), queue, sets.get(Part.STANDBY),
                sets.get(Part.CANCELLED), permits, alive, declaredLimits(), resizedTo, lastTicket(),
                gracePeriodEnd == null ? 0 : gracePeriodEnd), settings.most());
        bulkhead.begin(micros);
        return this;
    }

    private Permit permit(String id, PermitDetails details, boolean fair) {
        PermitTerms terms = new PermitTerms(keys.bulkhead(), Weights.of(id), details.limit(), details.lease(), fair,
                details.application(), details.instance(), details.method());
        return new Permit(terms, id, details.mailbox(), details.ticket(), details.since());
    }

    private long lastTicket() {
        String value = state.getOrDefault(LAST_TICKET, "0");
        if (!value.matches("\\d{1," + MOST_DIGITS + "}") || Long.parseLong(value) >= END_OF_TICKETS) {
            // Without what it holds, which belongs to another application.
            throw new StoreException("The key " + keys.shown()
                    + "state does not contain a ticket. Another application uses this key, and it was not changed. "
                    + "Set quarkus.redis-bulkhead.key-prefix to a prefix that no other application uses", false, null);
        }
        return Long.parseLong(value);
    }

    /** The one that was declared first comes first; Redis keeps the other order. */
    private Map<Integer, Long> declaredLimits() {
        String[] pairs = state.getOrDefault(DECLARED_LIMITS, "").trim().split(" ");
        Map<Integer, Long> declared = new LinkedHashMap<>();
        for (int i = pairs.length - 1; i >= 0 && !pairs[i].isEmpty(); i--) {
            int colon = pairs[i].indexOf(':');
            declared.put(Integer.valueOf(pairs[i].substring(0, colon)), Long.valueOf(pairs[i].substring(colon + 1)));
        }
        return declared;
    }

    // ---- writing

    /**
     * The commands that write what has changed. What is written comes before what is removed, so that no key is emptied in
     * between and loses its time to live.
     */
    List<Request> changes() {
        Contents now = bulkhead.contents();
        Map<Part, Map<String, Long>> after = new EnumMap<>(Part.class);
        Map<String, Long> queue = new HashMap<>(now.queue());
        if (now.gracePeriodEnd() > 0) {
            queue.put(GRACE_ENTRY, now.gracePeriodEnd());
        }
        after.put(Part.HOLDERS, now.holders());
        after.put(Part.QUEUE, queue);
        after.put(Part.STANDBY, now.standby());
        after.put(Part.CANCELLED, now.cancelled());
        Map<String, String> fields = fields(now);

        List<Request> changes = new ArrayList<>();
        SETS.forEach(part -> write(part, Command.ZADD, sets.get(part), after.get(part), changes));
        write(Part.STATE, Command.HSET, state, fields, changes);
        boolean limitIsReset = state.containsKey(SET_LIMIT) && !fields.containsKey(SET_LIMIT);
        if (!changes.isEmpty() || limitIsReset) {
            keepAlive(after, fields, changes);
        }
        SETS.forEach(part -> remove(part, Command.ZREM, sets.get(part), after.get(part), changes));
        remove(Part.STATE, Command.HDEL, state, fields, changes);
        return changes;
    }

    private Map<String, String> fields(Contents now) {
        Map<String, String> fields = new HashMap<>();
        now.permits().forEach((id, permit) -> fields.put(id,
                PermitDetails.of(permit.terms(), permit.ticket(), permit.since(), permit.process()).text()));
        now.alive().forEach((process, until) -> fields.put(ALIVE + process, until.toString()));
        if (now.lastTicket() > 0) {
            fields.put(LAST_TICKET, Long.toString(now.lastTicket()));
        }
        now.resizedTo().ifPresent(limit -> fields.put(SET_LIMIT, Integer.toString(limit)));
        StringBuilder declared = new StringBuilder();
        now.declaredLimits().forEach((limit, at) -> declared.insert(0, " " + limit + ":" + at));
        if (!declared.isEmpty()) {
            fields.put(DECLARED_LIMITS, declared.toString());
        }
        if (state.containsKey(KEPT_UNTIL)) {
            fields.put(KEPT_UNTIL, state.get(KEPT_UNTIL));
        }
        return fields;
    }

    private <V> void write(Part part, Command command, Map<String, V> before, Map<String, V> after, List<Request> changes) {
        Request request = Request.cmd(command).arg(key(part));
        boolean any = false;
        for (Map.Entry<String, V> entry : after.entrySet()) {
            if (!entry.getValue().equals(before.get(entry.getKey()))) {
                any = true;
                String value = entry.getValue().toString();
                request = command == Command.ZADD ? request.arg(value).arg(entry.getKey())
                        : request.arg(entry.getKey()).arg(value);
            }
        }
        if (any) {
            changes.add(request);
        }
    }

    private <V> void remove(Part part, Command command, Map<String, V> before, Map<String, V> after, List<Request> changes) {
        Set<String> removed = new HashSet<>(before.keySet());
        removed.removeAll(after.keySet());
        if (!removed.isEmpty()) {
            changes.add(command(command, part, List.copyOf(removed)));
        }
    }

    /** Lets all keys live until everything in them has ended, and a little longer, so that not every step has to. */
    private void keepAlive(Map<Part, Map<String, Long>> after, Map<String, String> fields, List<Request> changes) {
        long slack = settings.slack().toMillis();
        long now = Math.floorDiv(micros, 1_000L);
        LongStream ends = LongStream.concat(
                Stream.of(Part.HOLDERS, Part.CANCELLED).flatMap(part -> after.get(part).values().stream())
                        .mapToLong(end -> end),
                fields.entrySet().stream().filter(field -> field.getKey().startsWith(ALIVE))
                        .mapToLong(field -> Long.parseLong(field.getValue())));
        long longestLease = after.keySet().stream().filter(part -> part == Part.QUEUE || part == Part.STANDBY)
                .flatMap(part -> after.get(part).keySet().stream()).map(fields::get).filter(text -> text != null)
                .flatMap(text -> PermitDetails.parse(text).stream()).mapToLong(waiter -> waiter.lease().toMillis()).max()
                .orElse(0);
        long needed = Math.max(ends.max().orElse(now), Math.max(now + longestLease,
                after.get(Part.QUEUE).getOrDefault(GRACE_ENTRY, now))) + slack;
        long kept = Long.parseLong(fields.getOrDefault(KEPT_UNTIL, "0"));
        boolean longer = needed > kept;
        if (longer) {
            kept = needed + slack;
            changes.add(Request.cmd(Command.HSET).arg(key(Part.STATE)).arg(KEPT_UNTIL).arg(kept));
            fields.put(KEPT_UNTIL, Long.toString(kept));
        }
        for (Part part : SETS) {
            if (!after.get(part).isEmpty() && (longer || sets.get(part).isEmpty())) {
                changes.add(expire(part, kept - now));
            }
        }
        boolean limitIsSet = fields.containsKey(SET_LIMIT);
        if (longer || state.isEmpty() || limitIsSet || state.containsKey(SET_LIMIT)) {
            changes.add(expire(Part.STATE, limitIsSet ? Math.max(SET_LIMIT_LASTS_MILLIS, kept - now) : kept - now));
        }
    }

    private Request expire(Part part, long millis) {
        return Request.cmd(Command.PEXPIRE).arg(key(part)).arg(millis);
    }
}
