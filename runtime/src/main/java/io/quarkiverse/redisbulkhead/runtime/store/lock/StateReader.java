package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.steps.StepTime;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Reads from Redis what a step needs to know about a bulkhead: whatever there is about the ids that the step is about, and
 * the first of those whose time ends or whose turn it is. Usually one round trip, and a second one where somebody waits; more
 * where so many have ended that none of the first ones counts.
 */
final class StateReader {

    /** How many of those are read whose turn it is to be told of a free permit; some may go by a limit that is reached. */
    private static final int TOLD_OF = 100;

    /** How many of each are read when none of the first ones counts any more. */
    private static final int MANY = 2_000;

    /** How many of each are read that may last for too long after the clock was set back. */
    private static final int SHORTENED_AT_ONCE = 100;

    private static final List<Part> IN_ORDER = List.of(Part.HOLDERS, Part.QUEUE, Part.WAITERS, Part.STANDBY);

    private static final List<Part> IN_LINE = List.of(Part.QUEUE, Part.STANDBY);

    private final RedisConnection connection;
    private final BulkheadNames names;
    private final BulkheadKeys keys;
    private final List<String> ids;
    private final ServerClock clock;
    private final int few;
    private final DetailsHash details;
    private final LimitsHash limits;
    private final Ticket ticket;
    private final Lifetimes lifetimes;
    private final Map<Part, Long> sizes = new EnumMap<>(Part.class);
    private final Map<Part, ScoredSet> sets = new EnumMap<>(Part.class);

    private StepTime time;
    private long ended;

    /**
     * @param connection nobody else uses it meanwhile
     * @param ids those that the step is about
     * @param atOnce how many permits the step may pass on
     */
    StateReader(RedisConnection connection, BulkheadNames names, List<String> ids, int atOnce, StepSettings settings) {
        this.connection = connection;
        this.names = names;
        this.keys = names.keys();
        this.ids = ids;
        this.clock = settings.clock();
        this.few = settings.few() + Math.max(atOnce, ids.size());
        this.details = new DetailsHash(keys.of(Part.DETAILS));
        this.limits = new LimitsHash(keys.of(Part.LIMITS));
        this.ticket = new Ticket(keys);
        this.lifetimes = new Lifetimes(settings.slack());
    }

    /**
     * Reads.
     *
     * @param first what else to ask in the first round, before everything else
     * @param frugal see {@link RemoteState}
     */
    Future<RemoteState> read(Questions first, boolean frugal) {
        askForAll(first);
        return first.sendOver(connection).compose(read -> widen()).compose(wide -> readThoseInTurn())
                .compose(inTurn -> readThoseThatLast())
                .map(all -> new RemoteState(data(), time, names, frugal));
    }

    private BulkheadData data() {
        long endedUnknown = ended == 0 ? 0 : ended - sets.get(Part.HOLDERS).upTo(time.millis()).size();
        return new BulkheadData(sets, details, limits, ticket, lifetimes, endedUnknown);
    }

    private void askForAll(Questions questions) {
        questions.ask(clock.question(), reply -> time = clock.read(reply));
        questions.ask(Request.cmd(Command.GET).arg(keys.of(Part.TICKET)), reply -> {
            if (reply != null) {
                ticket.know(reply.toString());
            }
        });
        askForLimits(questions);
        for (Part part : IN_ORDER) {
            questions.askNumber(Command.ZCARD, keys.of(part), size -> sizes.put(part, size));
            questions.askFirst(keys.of(part), howMany(part),
                    members -> sets.put(part, new ScoredSet(keys.of(part), sizes.get(part), members)));
            askForIds(questions, part);
        }
        questions.askScores(keys.of(Part.QUEUE), List.of(RemoteState.GRACE_ENTRY),
                (id, score) -> sets.get(Part.QUEUE).know(id, score));
        sets.put(Part.CANCELLED, new ScoredSet(keys.of(Part.CANCELLED), 0, List.of()));
        askForIds(questions, Part.CANCELLED);
        askForDetails(questions, ids);
        for (Part part : Part.values()) {
            questions.askNumber(Command.PTTL, keys.of(part), left -> lifetimes.know(part, left));
        }
    }

    private int howMany(Part part) {
        return switch (part) {
            case STANDBY -> Math.max(few, TOLD_OF);
            // The grace period is one of them.
            case QUEUE -> few + 1;
            default -> few;
        };
    }

    private void askForIds(Questions questions, Part part) {
        if (!ids.isEmpty()) {
            questions.askScores(keys.of(part), ids, (id, score) -> sets.get(part).know(id, score));
        }
    }

    private void askForLimits(Questions questions) {
        AtomicReference<Response> names = new AtomicReference<>();
        questions.ask(Request.cmd(Command.HKEYS).arg(keys.of(Part.LIMITS)), names::set);
        questions.ask(Request.cmd(Command.HVALS).arg(keys.of(Part.LIMITS)), values -> limits.know(names.get(), values));
    }

    private void askForDetails(Questions questions, List<String> some) {
        if (!some.isEmpty()) {
            questions.askDetails(keys.of(Part.DETAILS), some, details::know);
        }
    }

    /** Where all that was read has ended, more may have. */
    private Future<Void> widen() {
        Questions questions = new Questions();
        boolean needed = false;
        for (Part part : List.of(Part.HOLDERS, Part.WAITERS)) {
            if (!sets.get(part).reaches(time.millis())) {
                needed = true;
                questions.askFirst(keys.of(part), MANY, members -> sets.get(part).know(members));
            }
        }
        if (!needed) {
            return Future.succeededFuture();
        }
        questions.ask(Request.cmd(Command.ZCOUNT).arg(keys.of(Part.HOLDERS)).arg("-inf").arg(time.millis()),
                reply -> ended = reply.toLong());
        return questions.sendOver(connection);
    }

    /** Where all that were read have died, somebody behind them may live. */
    private Future<Void> readThoseInTurn() {
        return readDetails().compose(read -> {
            Questions questions = new Questions();
            IN_LINE.stream().map(sets::get).filter(this::holdsNobodyAlive)
                    .forEach(line -> questions.askFirst(line.key(), MANY, line::know));
            return questions.isEmpty() ? Future.succeededFuture()
                    : questions.sendOver(connection).compose(wide -> readDetails());
        });
    }

    private boolean holdsNobodyAlive(ScoredSet line) {
        return !line.reaches(Long.MAX_VALUE) && line.inOrder().stream().noneMatch(member -> isLive(member.id()));
    }

    private boolean isLive(String waiter) {
        return sets.get(Part.WAITERS).score(waiter).orElse(0) > time.millis();
    }

    /** What those in the queue and beside it asked for, and whether they are alive. */
    private Future<Void> readDetails() {
        List<String> unknown = IN_LINE.stream().flatMap(part -> sets.get(part).inOrder().stream())
                .map(Member::id).filter(id -> !details.isKnown(id)).distinct().toList();
        if (unknown.isEmpty()) {
            return Future.succeededFuture();
        }
        Questions questions = new Questions();
        askForDetails(questions, unknown);
        questions.askScores(keys.of(Part.WAITERS), unknown, (id, score) -> sets.get(Part.WAITERS).know(id, score));
        return questions.sendOver(connection);
    }

    /** Where the clock was set back, what ends last may end too late. */
    private Future<Void> readThoseThatLast() {
        if (!ticket.tellsOfSetBack(time.micros())) {
            return Future.succeededFuture();
        }
        Questions questions = new Questions();
        for (Part part : List.of(Part.HOLDERS, Part.WAITERS)) {
            questions.askLast(keys.of(part), SHORTENED_AT_ONCE, members -> members
                    .forEach(member -> sets.get(part).know(member.id(), OptionalLong.of(member.score()))));
        }
        return questions.sendOver(connection).compose(read -> {
            List<String> holders = sets.get(Part.HOLDERS).after(time.millis()).stream().map(Member::id)
                    .filter(id -> !details.isKnown(id)).toList();
            if (holders.isEmpty()) {
                return Future.succeededFuture();
            }
            Questions more = new Questions();
            askForDetails(more, holders);
            return more.sendOver(connection);
        });
    }
}
