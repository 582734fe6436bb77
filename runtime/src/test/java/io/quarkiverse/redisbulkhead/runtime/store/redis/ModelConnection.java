package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel.RedisError;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.BulkType;
import io.vertx.redis.client.impl.types.ErrorType;
import io.vertx.redis.client.impl.types.MultiType;
import io.vertx.redis.client.impl.types.NumberType;

/**
 * A connection to a model of Redis, with transactions. Commands wait until {@link #executeAll()}, which carries out what is
 * there, and what follows from it.
 */
public final class ModelConnection implements Connection {

    private final RedisModel redis;
    private final List<List<String>> pending = new ArrayList<>();
    private final List<Promise<Response>> promises = new ArrayList<>();
    private final Map<String, String> watched = new HashMap<>();
    private List<List<String>> transaction;

    public ModelConnection(RedisModel redis) {
        this.redis = redis;
    }

    @Override
    public Future<Response> send(Request command) {
        Promise<Response> promise = Promise.promise();
        pending.add(words(command));
        promises.add(promise);
        return promise.future();
    }

    /** The words of a request, parsed from the Redis protocol. */
    private static List<String> words(Request request) {
        List<String> words = new ArrayList<>();
        String[] lines = request.toString().split("\r\n");
        for (int i = 2; i < lines.length; i += 2) {
            words.add(lines[i]);
        }
        words.set(0, words.get(0).toUpperCase(Locale.ROOT));
        return words;
    }

    /** Carries out all commands. */
    public void executeAll() {
        while (!pending.isEmpty()) {
            List<String> command = pending.remove(0);
            Promise<Response> promise = promises.remove(0);
            try {
                promise.complete(response(execute(command)));
            } catch (RedisError e) {
                promise.fail(ErrorType.create(e.getMessage()));
            }
        }
    }

    private Object execute(List<String> words) {
        switch (words.get(0)) {
            case "WATCH" -> words.stream().skip(1).forEach(key -> watched.putIfAbsent(key, redis.describe(key)));
            case "UNWATCH" -> watched.clear();
            case "MULTI" -> transaction = new ArrayList<>();
            case "EXEC" -> {
                List<List<String>> commands = transaction;
                boolean isUnchanged = watched.entrySet().stream()
                        .allMatch(each -> each.getValue().equals(redis.describe(each.getKey())));
                transaction = null;
                watched.clear();
                return isUnchanged ? commands.stream().map(redis::execute).toList() : null;
            }
            default -> {
                if (transaction == null) {
                    return redis.execute(words);
                }
                transaction.add(words);
                return "QUEUED";
            }
        }
        return "OK";
    }

    private static Response response(Object reply) {
        if (reply == null) {
            return null;
        }
        if (reply instanceof Long number) {
            return NumberType.create(number);
        }
        if (reply instanceof List<?> list) {
            MultiType all = MultiType.create(list.size(), false);
            list.forEach(each -> all.add(response(each)));
            return all;
        }
        return BulkType.create(Buffer.buffer((String) reply), false);
    }

    @Override
    public Future<Response> run(String script, String sha1, List<String> keys, List<String> args) {
        throw new UnsupportedOperationException("This model of a connection has no scripts");
    }

    @Override
    public String server() {
        return runId((String) redis.execute(List.of("INFO", "server")));
    }

    private static String runId(String info) {
        return info.replaceAll("(?s).*run_id:(\\w+).*", "$1");
    }

    @Override
    public long serverSinceMillis() {
        return -1;
    }
}
