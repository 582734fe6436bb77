package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A Redis in memory. The owner sets the time. Replies are {@code Long}, {@code String}, lists and null; {@code OK} is a
 * string.
 */
public final class RedisModel {

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

        private Key copy() {
            Key copy = new Key(
                    value instanceof SortedSet set ? set.copy() : value instanceof Map<?, ?> map ? new TreeMap<>(map) : value);
            copy.expiresAt = expiresAt;
            return copy;
        }
    }

    /** An empty server at this time, in microseconds. */
    public RedisModel(long micros) {
        this.micros = micros;
    }

    /** An independent copy of content and time, without published messages. */
    public RedisModel copy() {
        RedisModel copy = new RedisModel(micros);
        copy.runId = runId;
        keys.forEach((name, key) -> copy.keys.put(name, key.copy()));
        return copy;
    }

    /** Sets the clock and removes expired keys. */
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

    /** The names of all keys. */
    public Set<String> names() {
        return Set.copyOf(keys.keySet());
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

    /** Removes a key. */
    public void delete(String name) {
        keys.remove(name);
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

    /** Replaces an existing string, and keeps its expiry. */
    public void replace(String name, String text) {
        keys.get(name).value = text;
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
            case "TTL" -> ttl(name, 1000);
            case "PEXPIRE" -> expire(name, number(words.get(2)));
            case "EXPIRE" -> expire(name, 1000 * number(words.get(2)));
            case "DEL" -> flag(keys.remove(name) != null);
            case "GET" -> text(name);
            case "SET" -> set(words);
            case "SETNX" -> flag(keys.putIfAbsent(name, new Key(words.get(2))) == null);
            case "INCR" -> increment(name);
            case "HGET" -> hash(name).get(words.get(2));
            case "HMGET" -> words.stream().skip(2).map(field -> (Object) hash(name).get(field)).toList();
            case "HGETALL" -> hash(name).entrySet().stream().<Object> mapMulti((field, to) -> {
                to.accept(field.getKey());
                to.accept(field.getValue());
            }).toList();
            case "HSET" -> setFields(name, words.subList(2, words.size()));
            case "HDEL" -> removeAll(name, hash(name), words);
            case "ZCARD" -> (long) scores(name).size();
            case "ZRANK" -> rank(name, words.get(2));
            case "ZADD" -> add(words);
            case "ZREM" -> removeAll(name, scores(name), words);
            case "ZRANGE" -> range(words, Math.toIntExact(number(words.get(2))), Math.toIntExact(number(words.get(3))));
            case "ZRANGEBYSCORE" -> rangeByScore(words);
            case "ZREMRANGEBYSCORE" -> removeRange(name, words.get(2), words.get(3));
            case "ZINTERSTORE" -> intersect(words);
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

    private Long ttl(String name, long unit) {
        Key key = keys.get(name);
        if (key == null) {
            return -2L;
        }
        return key.expiresAt == NEVER ? -1 : (key.expiresAt - millis() + unit / 2) / unit;
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

    private Long increment(String name) {
        long next = keys.containsKey(name) ? number(string(name)) + 1 : 1;
        keys.computeIfAbsent(name, absent -> new Key("")).value = Long.toString(next);
        return next;
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

    private Long rank(String name, String member) {
        List<String> members = set(name).inOrder().stream().map(Map.Entry::getKey).toList();
        return members.contains(member) ? (long) members.indexOf(member) : null;
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

    private List<Object> rangeByScore(List<String> words) {
        List<Map.Entry<String, Double>> found = set(words.get(1)).between(words.get(2), words.get(3));
        return entries(found.stream(), words.contains("WITHSCORES"));
    }

    private static List<Object> entries(Stream<Map.Entry<String, Double>> found, boolean withScores) {
        return found.<Object> mapMulti((entry, to) -> {
            to.accept(entry.getKey());
            if (withScores) {
                to.accept(SortedSet.text(entry.getValue()));
            }
        }).toList();
    }

    private Long removeRange(String name, String least, String most) {
        List<Map.Entry<String, Double>> found = set(name).between(least, most);
        Map<String, Double> scores = scores(name);
        found.forEach(entry -> scores.remove(entry.getKey()));
        dropIfEmpty(name, scores);
        return (long) found.size();
    }

    private Long intersect(List<String> words) {
        int count = Math.toIntExact(number(words.get(2)));
        List<String> sources = words.subList(3, 3 + count);
        List<Double> weights = words.contains("WEIGHTS")
                ? words.subList(4 + count, 4 + 2 * count).stream().map(SortedSet::number).toList()
                : java.util.Collections.nCopies(count, 1d);
        SortedSet result = new SortedSet();
        for (String member : scores(sources.get(0)).keySet()) {
            List<Double> scores = sources.stream().map(source -> scores(source).get(member)).toList();
            if (scores.stream().allMatch(Objects::nonNull)) {
                double sum = 0;
                for (int i = 0; i < count; i++) {
                    sum += weights.get(i) * scores.get(i);
                }
                result.scores().put(member, sum);
            }
        }
        keys.remove(words.get(1));
        if (!result.scores().isEmpty()) {
            keys.put(words.get(1), new Key(result));
        }
        return (long) result.scores().size();
    }

    /** All content as text: servers with the same time are equal if their texts are. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        keys.forEach((name, key) -> {
            text.append(name).append(key.value instanceof SortedSet set ? set.scores() : key.value);
            text.append(key.expiresAt == NEVER ? "!" : "@" + (key.expiresAt - millis())).append(' ');
        });
        return text.toString();
    }
}
