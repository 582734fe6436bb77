package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Commands that are sent together, each with what to do with its reply. */
final class Questions {

    private final List<Request> requests = new ArrayList<>();
    private final List<Consumer<Response>> readers = new ArrayList<>();

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Adds a command. The reply is null where Redis has nothing to say. */
    void ask(Request request, Consumer<Response> reader) {
        requests.add(request);
        readers.add(reader);
    }

    /** Adds a command whose reply says nothing. */
    void ask(Request request) {
        ask(request, reply -> {
        });
    }

    void askNumber(Command command, byte[] key, Consumer<Long> reader) {
        ask(Request.cmd(command).arg(key), reply -> reader.accept(reply.toLong()));
    }

    /** Asks for the first members of a sorted set. */
    void askFirst(byte[] key, int most, Consumer<List<Member>> reader) {
        ask(Request.cmd(Command.ZRANGE).arg(key).arg(0).arg(most - 1).arg("WITHSCORES"),
                reply -> reader.accept(members(reply)));
    }

    /** Asks for the last members of a sorted set, by their scores. */
    void askLast(byte[] key, int most, Consumer<List<Member>> reader) {
        ask(Request.cmd(Command.ZRANGE).arg(key).arg(-most).arg(-1).arg("WITHSCORES"),
                reply -> reader.accept(members(reply)));
    }

    /** Asks for the scores of some members. */
    void askScores(byte[] key, List<String> ids, BiConsumer<String, OptionalLong> reader) {
        ask(command(Command.ZMSCORE, key, ids), reply -> {
            for (int i = 0; i < ids.size(); i++) {
                reader.accept(ids.get(i), reply.get(i) == null ? OptionalLong.empty() : OptionalLong.of(score(reply.get(i))));
            }
        });
    }

    /** Asks for the details of some holders and waiters. */
    void askDetails(byte[] key, List<String> ids, BiConsumer<String, Optional<PermitDetails>> reader) {
        ask(command(Command.HMGET, key, ids), reply -> {
            for (int i = 0; i < ids.size(); i++) {
                Response value = reply.get(i);
                reader.accept(ids.get(i), value == null ? Optional.empty() : PermitDetails.parse(value.toString()));
            }
        });
    }

    private static Request command(Command command, byte[] key, List<String> ids) {
        Request request = Request.cmd(command).arg(key);
        ids.forEach(request::arg);
        return request;
    }

    /** Members with scores, in the form of either version of the protocol. */
    static List<Member> members(Response reply) {
        List<Member> members = new ArrayList<>();
        if (reply.size() > 0 && reply.get(0).type() == ResponseType.MULTI) {
            reply.forEach(pair -> members.add(new Member(pair.get(0).toString(), score(pair.get(1)))));
        } else {
            for (int i = 0; i < reply.size(); i += 2) {
                members.add(new Member(reply.get(i).toString(), score(reply.get(i + 1))));
            }
        }
        return members;
    }

    private static long score(Response number) {
        return number.toDouble().longValue();
    }

    /** Sends all and reads the replies, in the order of the questions. */
    Future<Void> sendOver(RedisConnection connection) {
        return Pipeline.send(connection, requests).map(replies -> {
            for (int i = 0; i < readers.size(); i++) {
                readers.get(i).accept(replies.get(i));
            }
            return null;
        });
    }
}
