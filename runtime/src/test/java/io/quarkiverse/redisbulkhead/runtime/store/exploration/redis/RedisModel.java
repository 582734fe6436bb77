package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A Redis in memory. The owner sets the time. Replies are {@code Long}, {@code String}, lists and null; {@code OK} is a
 * string.
 */
public final class RedisModel {

    /** A message that was published. */
    public record Published(String channel, String text) {
    }

    /** The error reply of Redis to a refused command. */
    public static final class RedisError extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RedisError(String message) {
            super(message, null, false, false);
        }
    }

    /** The expiry of a key that never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    private final Map<String, Key> keys = new TreeMap<>();
    private List<Published> published = new ArrayList<>();
    private long micros;
    private String runId = "run1";

    private static final class Key {

        private Object value;
        private long expiresAt = NEVER;

        private Key(Object value) {
            this.value = value;
        }
    }

    /** An empty server at this time, in microseconds. */
    public RedisModel(long micros) {
        this.micros = micros;
    }

    /** Sets the clock and removes expired keys. */
    public long micros() {
        return micros;
    }

    public void setMicros(long now) {
        micros = now;
        keys.values().removeIf(key -> key.expiresAt <= millis());
    }

    private long millis() {
        return Math.floorDiv(micros, 1000L);
    }

    /** From now on this is another run of the server. */
    public void setRunId(String id) {
        runId = id;
    }

    /** When a key expires, in milliseconds, or {@link #NEVER}. */
    public long expiresAt(String name) {
        return keys.get(name).expiresAt;
    }

    /** Changes the expiry of a key; takes effect when the clock is set. */
    public void expireAt(String name, long expiresAt) {
        keys.get(name).expiresAt = expiresAt;
    }

    /** Removes all keys. */
    public void flush() {
        keys.clear();
    }

    /** A mutable sorted set; empty and without effect if the key does not exist. */
    public Map<String, Double> scores(String name) {
        return keys.containsKey(name) ? sortedSet(name).scores() : new TreeMap<>();
    }

    /** A mutable hash; empty and without effect if the key does not exist. */
    public Map<String, String> hash(String name) {
        return keys.containsKey(name) ? fields(name) : new TreeMap<>();
    }

    /** A string, or null. */
    public String text(String name) {
        return keys.containsKey(name) ? string(name) : null;
    }

    /** Content and expiry of a key as text, which tells whether it has changed; empty if it does not exist. */
    public String describe(String name) {
        Key key = keys.get(name);
        return key == null ? ""
                : (key.value instanceof SortedSet set ? set.scores() : key.value) + "@" + key.expiresAt;
    }

    /** Returns and removes the published messages. */
    public List<Published> takePublished() {
        List<Published> taken = published;
        published = new ArrayList<>();
        return taken;
    }

    /** Executes a command. */
    public Object execute(List<String> words) {
        String name = words.size() > 1 ? words.get(1) : "";
        return switch (words.get(0)) {
            case "TIME" -> List.of(Long.toString(Math.floorDiv(micros, 1_000_000L)),
                    Long.toString(Math.floorMod(micros, 1_000_000L)));
            case "INFO" -> "# Server\r\nrun_id:" + runId + "\r\n";
            case "PUBLISH" -> publish(new Published(name, words.get(2)));
            case "PEXPIRE" -> expire(name, number(words.get(2)));
            case "DEL" -> flag(keys.remove(name) != null);
            case "GET" -> text(name);
            case "SET" -> set(words);
            case "HGET" -> hash(name).get(words.get(2));
            case "HMGET" -> words.stream().skip(2).map(field -> (Object) hash(name).get(field)).toList();
            case "HGETALL" -> hash(name).entrySet().stream().<Object> mapMulti((field, to) -> {
                to.accept(field.getKey());
                to.accept(field.getValue());
            }).toList();
            case "HSET" -> setFields(name, words.subList(2, words.size()));
            case "HDEL" -> removeAll(name, hash(name), words);
            case "ZCARD" -> (long) scores(name).size();
            case "ZADD" -> add(words);
            case "ZREM" -> removeAll(name, scores(name), words);
            case "ZRANGE" -> range(words, Math.toIntExact(number(words.get(2))), Math.toIntExact(number(words.get(3))));
            default -> throw new RedisError("ERR unknown command '" + words.get(0) + "'");
        };
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new RedisError("ERR value is not an integer or out of range");
        }
    }

    private static Long flag(boolean yes) {
        return yes ? 1L : 0L;
    }

    private long publish(Published message) {
        published.add(message);
        return 0;
    }

    private Long expire(String name, long ttl) {
        Key key = keys.get(name);
        if (key == null) {
            return 0L;
        }
        key.expiresAt = millis() + ttl;
        if (ttl <= 0) {
            keys.remove(name);
        }
        return 1L;
    }

    private String string(String name) {
        return typed(name, String.class);
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> fields(String name) {
        return typed(name, TreeMap.class);
    }

    private SortedSet sortedSet(String name) {
        return typed(name, SortedSet.class);
    }

    private <T> T typed(String name, Class<T> type) {
        Object value = keys.get(name).value;
        if (!type.isInstance(value)) {
            throw new RedisError("WRONGTYPE Operation against a key holding the wrong kind of value");
        }
        return type.cast(value);
    }

    private <T> T open(String name, Supplier<Object> empty, java.util.function.Function<String, T> typed) {
        keys.computeIfAbsent(name, absent -> new Key(empty.get()));
        return typed.apply(name);
    }

    private SortedSet set(String name) {
        return keys.containsKey(name) ? sortedSet(name) : new SortedSet();
    }

    private String set(List<String> words) {
        if (words.contains("NX") && keys.containsKey(words.get(1))) {
            return null;
        }
        Key key = new Key(words.get(2));
        List<String> options = words.subList(3, words.size());
        if (options.contains("PX")) {
            key.expiresAt = millis() + number(options.get(options.indexOf("PX") + 1));
        }
        keys.put(words.get(1), key);
        return "OK";
    }

    private Long removeAll(String name, Map<String, ?> from, List<String> words) {
        long removed = words.subList(2, words.size()).stream().filter(member -> from.remove(member) != null).count();
        dropIfEmpty(name, from);
        return removed;
    }

    private void dropIfEmpty(String name, Map<String, ?> content) {
        if (content.isEmpty()) {
            keys.remove(name);
        }
    }

    private Long setFields(String name, List<String> pairs) {
        long added = 0;
        for (int i = 0; i < pairs.size(); i += 2) {
            added += flag(open(name, TreeMap::new, this::fields).put(pairs.get(i), pairs.get(i + 1)) == null);
        }
        return added;
    }

    private Long add(List<String> words) {
        long added = 0;
        for (int i = 2; i < words.size(); i += 2) {
            added += flag(open(words.get(1), SortedSet::new, this::sortedSet).scores().put(words.get(i + 1),
                    SortedSet.number(words.get(i))) == null);
        }
        return added;
    }

    private List<Object> range(List<String> words, int first, int last) {
        List<Map.Entry<String, Double>> all = set(words.get(1)).inOrder();
        int from = Math.max(0, first < 0 ? all.size() + first : first);
        int to = last < 0 ? all.size() + last : Math.min(last, all.size() - 1);
        return from > to ? List.of() : entries(all.subList(from, to + 1).stream(), words.contains("WITHSCORES"));
    }

    private static List<Object> entries(Stream<Map.Entry<String, Double>> found, boolean withScores) {
        return found.<Object> mapMulti((entry, to) -> {
            to.accept(entry.getKey());
            if (withScores) {
                to.accept(SortedSet.text(entry.getValue()));
            }
        }).toList();
    }
}
