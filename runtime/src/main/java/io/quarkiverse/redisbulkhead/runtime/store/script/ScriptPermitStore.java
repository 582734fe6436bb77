package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.vertx.redis.client.Response;

/**
 * Keeps permits in Redis; each operation is one Lua script. The scripts, with the layout of the keys in their
 * headers, lie beside this class as resources.
 * <p>
 * The algorithm is the counting semaphore of <em>Redis in Action</em>, section 6.3, with its three sources of error
 * taken out: time is the server's ({@code TIME}) and not the clients', counting and adding are one atomic script, and
 * the score of a holder is the end of its lease, so that holders with different leases do not shorten one another's.
 */
public final class ScriptPermitStore implements PermitStore {

    private static final LuaScript ACQUIRE = LuaScript.load("acquire.lua");
    private static final LuaScript RELEASE = LuaScript.load("release.lua");
    private static final LuaScript HOLDERS = LuaScript.load("holders.lua");

    private static final byte[] NO_BLOCK = bytes("0");

    private final RedisLink link;
    private final String keyPrefix;
    private final Map<String, List<byte[]>> keys = new ConcurrentHashMap<>();

    /**
     * Creates the store.
     *
     * @param link the connection to Redis
     * @param keyPrefix what all keys start with; without braces
     */
    public ScriptPermitStore(RedisLink link, String keyPrefix) {
        this.link = link;
        this.keyPrefix = keyPrefix;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        String details = String.join("\n", oneLine(request.application()), oneLine(request.instance()),
                oneLine(request.method()));
        return link.send(new ScriptCall(ACQUIRE, keysOf(request.bulkhead()), List.of(bytes(request.permitId()),
                bytes(Integer.toString(request.limit())), bytes(Long.toString(request.lease().toMillis())), bytes(details))))
                .thenApply(ScriptPermitStore::acquireReply);
    }

    private static AcquireReply acquireReply(RedisAnswer answer) {
        Response reply = answer.response();
        return switch (reply.get(0).toInteger()) {
            case 1 -> new AcquireReply.Granted(reply.get(1).toLong(), answer.repeated());
            case 0 -> new AcquireReply.Full(reply.get(1).toInteger(), Duration.ofMillis(reply.get(2).toLong()),
                    answer.repeated());
            case -1 -> new AcquireReply.Cancelled();
            default -> throw new IllegalStateException("acquire.lua answered " + reply);
        };
    }

    @Override
    public CompletionStage<Boolean> release(String bulkhead, String permitId) {
        return link.send(new ScriptCall(RELEASE, keysOf(bulkhead), List.of(NO_BLOCK, bytes(permitId))))
                .thenApply(answer -> answer.response().toInteger() == 1 || answer.repeated());
    }

    @Override
    public CompletionStage<Void> cancel(String bulkhead, List<String> permitIds, Duration forgetAfter) {
        if (permitIds.isEmpty() || permitIds.size() > MAX_CANCELLED_AT_ONCE) {
            throw new IllegalArgumentException(
                    "From 1 to " + MAX_CANCELLED_AT_ONCE + " permits can be cancelled at once, not " + permitIds.size());
        }
        List<byte[]> args = new ArrayList<>(permitIds.size() + 1);
        args.add(bytes(Long.toString(Math.max(1, forgetAfter.toMillis()))));
        permitIds.forEach(id -> args.add(bytes(id)));
        return link.send(new ScriptCall(RELEASE, keysOf(bulkhead), args)).thenApply(answer -> null);
    }

    @Override
    public CompletionStage<Occupancy> occupancy(String bulkhead, int most) {
        return link.send(new ScriptCall(HOLDERS, keysOf(bulkhead), List.of(bytes(Integer.toString(most)))))
                .thenApply(answer -> occupancy(bulkhead, answer.response()));
    }

    private static Occupancy occupancy(String bulkhead, Response reply) {
        List<Holder> holders = new ArrayList<>(reply.size() - 1);
        for (int i = 1; i < reply.size(); i++) {
            Response row = reply.get(i);
            String[] details = row.get(3).toString().split("\n", -1);
            boolean known = details.length == 4;
            holders.add(new Holder(row.get(0).toString(), bulkhead, row.get(2).toLong(), known ? details[1] : "",
                    known ? details[2] : "", known ? details[3] : "",
                    Instant.ofEpochMilli(known ? Long.parseLong(details[0]) : 0), Instant.ofEpochMilli(row.get(1).toLong())));
        }
        return new Occupancy(reply.get(0).toInteger(), List.copyOf(holders));
    }

    private List<byte[]> keysOf(String bulkhead) {
        return keys.computeIfAbsent(bulkhead, name -> BulkheadKeys.of(keyPrefix, name));
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
