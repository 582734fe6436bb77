package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.List;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * A call of a script, by its digest, or by its text where the server does not know the digest: after its first start,
 * a restart, a failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
 *
 * @param script the script
 * @param keys its KEYS
 * @param args its ARGV
 */
record ScriptCall(LuaScript script, List<byte[]> keys, List<byte[]> args) {

    Request byDigest() {
        return request(Command.EVALSHA, script.sha1());
    }

    Request byText() {
        return request(Command.EVAL, script.text());
    }

    private Request request(Command command, String which) {
        Request request = Request.cmd(command).arg(which).arg(keys.size());
        keys.forEach(request::arg);
        args.forEach(request::arg);
        return request;
    }
}
