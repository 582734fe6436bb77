package io.quarkiverse.redisbulkhead.reference;

import static io.quarkiverse.redisbulkhead.reference.BlockingRedis.request;

import java.util.Optional;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/**
 * The basic counting semaphore of "Redis in Action", 6.3.1: one sorted set of identifiers, scored by the clock of the
 * client that added them. The first clients in it hold permits.
 */
public final class BasicSemaphore implements ReferenceSemaphore {

    private final ReferenceClient client;
    private final ReferenceSpec spec;

    /**
     * Sends no command yet.
     *
     * @param client the client that uses it
     * @param spec what all clients agree on
     */
    public BasicSemaphore(ReferenceClient client, ReferenceSpec spec) {
        this.client = client;
        this.spec = spec;
    }

    @Override
    public Optional<String> acquire() {
        String identifier = client.identifiers().get();
        long now = client.clock().getAsLong();
        client.checkpoint().before(RoundTrip.TAKE);
        Response answers = client.redis().transaction(
                request(Command.ZREMRANGEBYSCORE, spec.name(), "-inf", now - spec.timeoutMillis()),
                request(Command.ZADD, spec.name(), now, identifier),
                request(Command.ZRANK, spec.name(), identifier));
        if (answers.get(2).toInteger() < spec.limit()) {
            return Optional.of(identifier);
        }
        client.checkpoint().before(RoundTrip.GIVE_UP);
        client.redis().send(Command.ZREM, spec.name(), identifier);
        return Optional.empty();
    }

    @Override
    public boolean release(String identifier) {
        client.checkpoint().before(RoundTrip.RELEASE);
        return client.redis().send(Command.ZREM, spec.name(), identifier).toInteger() == 1;
    }
}
