package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.lock.RemoteState.AddressBook;
import io.quarkiverse.redisbulkhead.runtime.store.lock.RemoteState.Parts;
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
 * the first of those whose time ends or whose turn it is. Usually one round trip, and a second one where somebody waits.
 */
final class StateReader {

    /** How many are read beyond the number of ids of the step; and how many when more have ended than that. */
    private static final int FEW = 16;
    private static final int MANY = 2_000;

    private static final List<Part> SETS = List.of(Part.HOLDERS, Part.QUEUE, Part.WAITERS, Part.STANDBY, Part.CANCELLED);

    private final RedisConnection connection;
    private final AddressBook book;
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
     * @param slack how long keys outlive what they hold
     */
    StateReader(RedisConnection connection, AddressBook book, List<String> ids, int atOnce, ServerClock clock,
            Duration slack) {
        this.connection = connection;
        this.book = book;
        this.keys = book.keys();
        this.ids = ids;
        this.clock = clock;
        this.few = FEW + Math.max(atOnce, ids.size());
        this.details = new DetailsHash(keys.of(Part.DETAILS));
        this.limits = new LimitsHash(keys.of(Part.LIMITS));
        this.ticket = new Ticket(keys.of(Part.TICKET));
        this.lifetimes = new Lifetimes(slack);
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
                .map(all -> new RemoteState(parts(), time, book, frugal));
    }

    private Parts parts() {
        ScoredSet holders = sets.get(Part.HOLDERS);
        long endedUnknown = ended == 0 ? 0 : ended - holders.upTo(time.millis()).size();
        return new Parts(holders, sets.get(Part.QUEUE), sets.get(Part.WAITERS), sets.get(Part.STANDBY),
                sets.get(Part.CANCELLED), details, limits, ticket, lifetimes, endedUnknown);
    }

    private void askForAll(Questions questions) {
        questions.ask(clock.question(), reply -> time = clock.read(reply));
        questions.ask(Request.cmd(Command.GET).arg(keys.of(Part.TICKET)), reply -> {
            if (reply != null) {
                ticket.know(reply.toString());
            }
        });
        askForLimits(questions);
        for (Part part : SETS) {
            questions.askNumber(Command.ZCARD, keys.of(part), size -> sizes.put(part, size));
            questions.askFirst(keys.of(part), few,
                    members -> sets.put(part, new ScoredSet(keys.of(part), sizes.get(part), members)));
            if (!ids.isEmpty()) {
                questions.askScores(keys.of(part), ids, (id, score) -> sets.get(part).know(id, score));
            }
        }
        askForDetails(questions, ids);
        for (Part part : Part.values()) {
            questions.askNumber(Command.PTTL, keys.of(part), left -> lifetimes.know(part, left));
        }
    }

    private void askForLimits(Questions questions) {
        List<Response> fields = new ArrayList<>();
        questions.ask(Request.cmd(Command.HKEYS).arg(keys.of(Part.LIMITS)), reply -> reply.forEach(fields::add));
        questions.ask(Request.cmd(Command.HVALS).arg(keys.of(Part.LIMITS)), reply -> {
            for (int i = 0; i < fields.size(); i++) {
                limits.know(fields.get(i).toString(), reply.get(i).toLong());
            }
        });
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

    private Future<Void> readThoseInTurn() {
        return readDetails().compose(read -> {
            ScoredSet queue = sets.get(Part.QUEUE);
            boolean allEnded = !queue.isEmpty() && queue.inOrder().stream().noneMatch(member -> isLive(member.id()));
            if (!allEnded || queue.reaches(Long.MAX_VALUE)) {
                return Future.succeededFuture();
            }
            Questions questions = new Questions();
            questions.askFirst(keys.of(Part.QUEUE), MANY, queue::know);
            return questions.sendOver(connection).compose(wide -> readDetails());
        });
    }

    private boolean isLive(String waiter) {
        return sets.get(Part.WAITERS).score(waiter).orElse(0) > time.millis();
    }

    /** What those in the queue and beside it asked for, and whether they are alive. */
    private Future<Void> readDetails() {
        List<String> unknown = Stream.of(Part.QUEUE, Part.STANDBY).flatMap(part -> sets.get(part).inOrder().stream())
                .map(Member::id).filter(id -> !details.isKnown(id)).distinct().toList();
        if (unknown.isEmpty()) {
            return Future.succeededFuture();
        }
        Questions questions = new Questions();
        askForDetails(questions, unknown);
        questions.askScores(keys.of(Part.WAITERS), unknown, (id, score) -> sets.get(Part.WAITERS).know(id, score));
        return questions.sendOver(connection);
    }
}
