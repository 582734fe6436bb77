package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Runs scripts by their digest, and by their text where the server does not know the digest: after its first start, a restart,
 * a
 * failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
 */
final class ScriptRunner {

    private final RedisLink link;
    private final RefusalLog refusals = new RefusalLog();

    ScriptRunner(RedisLink link) {
        this.link = link;
    }

    /**
     * Runs a script.
     *
     * @return the reply, never null; fails with {@link StoreException}
     */
    CompletionStage<Response> run(LuaScript script, List<byte[]> keys, List<byte[]> args) {
        return link.send(request(Command.EVALSHA, script.sha1(), keys, args))
                .exceptionallyCompose(failure -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (cause instanceof RedisReplyException refused && refused.is("NOSCRIPT")) {
                        return link.send(request(Command.EVAL, script.text(), keys, args));
                    }
                    if (cause instanceof RedisReplyException refused) {
                        refusals.log(keys.get(0), refused);
                    }
                    return CompletableFuture.failedStage(cause);
                });
    }

    private static Request request(Command command, String script, List<byte[]> keys, List<byte[]> args) {
        Request request = Request.cmd(command).arg(script).arg(keys.size());
        keys.forEach(request::arg);
        args.forEach(request::arg);
        return request;
    }
}
