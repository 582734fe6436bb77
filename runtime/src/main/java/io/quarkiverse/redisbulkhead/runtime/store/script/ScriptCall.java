package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * A call of a script, by its digest, or by its text where the server does not know the digest: after its first start,
 * a restart, a failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
 *
 * @param script the script
 * @param keys whose data are its KEYS
 * @param args its ARGV
 */
record ScriptCall(LuaScript script, BulkheadKeys keys, List<byte[]> args) implements RedisCall<Response> {

    private static final List<String> IN_TIME = List.of("WRONGTYPE", "NOSCRIPT", "OOM", "READONLY", "NOREPLICAS", "MISCONF",
            "BUSY");

    @Override
    public Future<Response> over(RedisConnection connection) {
        return connection.send(request(Command.EVALSHA, script.sha1()))
                .recover(failure -> ErrorReply.of(failure).filter(reply -> reply.is("NOSCRIPT"))
                        .map(unknown -> connection.send(request(Command.EVAL, script.text())))
                        .orElseGet(() -> Future.failedFuture(failure)));
    }

    private Request request(Command command, String which) {
        List<byte[]> data = keys.data();
        Request request = Request.cmd(command).arg(which).arg(data.size());
        data.forEach(request::arg);
        args.forEach(request::arg);
        return request;
    }

    @Override
    public boolean mayHaveBegunBefore(ErrorReply refusal) {
        return mayHaveBegun(refusal);
    }

    /**
     * The scripts read all keys before they write, so a key of a foreign type stops them in time. That the server does not want
     * to write stops them at their first write, and none later; when it is busy with another script, it did not begin this one.
     * Other errors may come later.
     */
    static boolean mayHaveBegun(ErrorReply refusal) {
        return refusal.text().contains("script") && IN_TIME.stream().noneMatch(refusal::is);
    }

    @Override
    public byte[] routingKey() {
        return keys.start();
    }

    @Override
    public String about() {
        return keys.shown() + "*";
    }
}
