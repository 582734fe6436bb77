package io.quarkiverse.redisbulkhead.reference;

import static io.quarkiverse.redisbulkhead.reference.BlockingRedis.request;

import java.util.Optional;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/**
 * The fair counting semaphore of "Redis in Action", 6.3.2: a sorted set of owners, scored by a number drawn from a counter, and
 * a sorted set of the same identifiers, scored by the clock of the client that added them, by which they time out.
 */
public final class FairSemaphore implements ReferenceSemaphore {

    private final ReferenceClient client;
    private final ReferenceSpec spec;

    /**
     * Sends no command yet.
     *
     * @param client the client that uses it
     * @param spec what all clients agree on
     */
    public FairSemaphore(ReferenceClient client, ReferenceSpec spec) {
        this.client = client;
        this.spec = spec;
    }

    private String times() {
        return spec.name();
    }

    private String owners() {
        return spec.name() + ":owner";
    }

    private String counter() {
        return spec.name() + ":counter";
    }

    @Override
    public Optional<String> acquire() {
        String identifier = client.identifiers().get();
        long now = client.clock().getAsLong();
        client.checkpoint().before(RoundTrip.DRAW_NUMBER);
        Response drawn = client.redis().transaction(
                request(Command.ZREMRANGEBYSCORE, times(), "-inf", now - spec.timeoutMillis()),
                // Removes the owners without a clock time; the others keep their numbers.
                request(Command.ZINTERSTORE, owners(), 2, owners(), times(), "WEIGHTS", 1, 0),
                request(Command.INCR, counter()));
        client.checkpoint().before(RoundTrip.JOIN);
        Response joined = client.redis().transaction(
                request(Command.ZADD, times(), now, identifier),
                request(Command.ZADD, owners(), drawn.get(2).toLong(), identifier),
                request(Command.ZRANK, owners(), identifier));
        if (joined.get(2).toInteger() < spec.limit()) {
            return Optional.of(identifier);
        }
        client.checkpoint().before(RoundTrip.GIVE_UP);
        remove(identifier);
        return Optional.empty();
    }

    @Override
    public boolean release(String identifier) {
        client.checkpoint().before(RoundTrip.RELEASE);
        return remove(identifier);
    }

    private boolean remove(String identifier) {
        return client.redis().transaction(
                request(Command.ZREM, times(), identifier),
                request(Command.ZREM, owners(), identifier)).get(0).toInteger() == 1;
    }
}
