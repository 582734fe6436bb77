package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** What a step writes to one key that holds several entries, and what it removes from it. */
final class Changes {

    private final byte[] key;
    private final Command writing;
    private final Command removing;
    private final Map<String, Object> written = new HashMap<>();
    private final Set<String> removed = new HashSet<>();

    private Changes(byte[] key, Command writing, Command removing) {
        this.key = key;
        this.writing = writing;
        this.removing = removing;
    }

    static Changes ofSortedSet(byte[] key) {
        return new Changes(key, Command.ZADD, Command.ZREM);
    }

    static Changes ofHash(byte[] key) {
        return new Changes(key, Command.HSET, Command.HDEL);
    }

    /** Writes an entry; its value is a score in a sorted set. */
    void write(String entry, Object value) {
        removed.remove(entry);
        written.put(entry, value);
    }

    /** Removes an entry, which may not be there. */
    void remove(String entry) {
        written.remove(entry);
        removed.add(entry);
    }

    /** Whether anything is written. */
    boolean hasGrown() {
        return !written.isEmpty();
    }

    /** The commands that bring the changes about. */
    List<Request> commands() {
        List<Request> commands = new ArrayList<>();
        if (!removed.isEmpty()) {
            Request request = Request.cmd(removing).arg(key);
            removed.forEach(request::arg);
            commands.add(request);
        }
        if (!written.isEmpty()) {
            Request request = Request.cmd(writing).arg(key);
            written.forEach((entry, value) -> add(request, entry, value.toString()));
            commands.add(request);
        }
        return commands;
    }

    private void add(Request request, String entry, String value) {
        if (writing == Command.ZADD) {
            request.arg(value).arg(entry);
        } else {
            request.arg(entry).arg(value);
        }
    }
}
