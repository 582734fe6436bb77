package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.Position.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.vertx.core.json.Json;

/** The arguments of {@code share.lua}, its replies and its messages; the header of the script documents them. */
public final class ShareCodec {

    /** Numbers of which Java could not read one are not from the script. */
    private static final Pattern MESSAGE = Pattern.compile("(?s)(?:granted (?<granted>(?:\\d{1,18} ){7}\\d{1,18})"
            + "|recalled (?<recalled>\\d{1,18})|changed) (?<key>.*)");

    private ShareCodec() {
    }

    /**
     * The arguments that state a position.
     *
     * @param instance the instance, named by its channel
     * @param statement its position
     */
    public static List<String> sync(String instance, Statement statement) {
        ShareMachine.check(statement);
        return operation("sync", array(quoted(instance), statement.number(), statement.epoch(), statement.granted(),
                statement.returned(), statement.revoked(), statement.leaseMillis(), statement.limit(), statement.keeps(),
                statement.wantsToKeep(), statement.highestToken(), statement.tokens(), quoted(statement.server()),
                statement.serverSinceMillis(),
                arrays(statement.calls(), need -> array(need.ticket(), need.group(), need.weight(), need.count())),
                arrays(statement.holds(), hold -> array(quoted(hold.id()), hold.weight(), hold.leaseMillis(),
                        hold.startedMillis(), quoted(hold.digest()), Json.encode(hold.method()))),
                arrays(statement.attaches(), attach -> array(quoted(attach.id()), quoted(attach.digest())))));
    }

    /** The arguments that take permits away; see {@code ShareMachine#revoke}. */
    public static List<String> revoke(String field, int permits) {
        return operation("revoke", field, Integer.toString(permits));
    }

    /** The arguments that set a limit; 0 to undo. */
    public static List<String> resize(int limit) {
        return operation("resize", Integer.toString(limit));
    }

    /**
     * The answer to a statement.
     *
     * @param reply the values of the reply: numbers as {@code Long}, words as {@code String}, lists as {@code List}
     */
    public static Position position(List<?> reply) {
        Map<String, Attached> attached = new TreeMap<>();
        for (Object each : (List<?>) reply.get(18)) {
            List<?> values = (List<?>) each;
            attached.put((String) values.get(0), new Attached((int) number(values, 1), number(values, 2)));
        }
        return new Position(number(reply, 0), number(reply, 1), number(reply, 2), number(reply, 3), number(reply, 4),
                number(reply, 5), (int) number(reply, 6), number(reply, 7), number(reply, 8), number(reply, 9) == 1,
                number(reply, 10) == 1, (int) number(reply, 11), number(reply, 12), number(reply, 13), number(reply, 14),
                number(reply, 15), (int) number(reply, 16), attached, (int) number(reply, 19),
                (String) reply.get(17));
    }

    private static long number(List<?> values, int at) {
        return (Long) values.get(at);
    }

    /**
     * A message from the channel of this instance.
     *
     * @param text the message
     * @param bulkheads the bulkhead whose shares are in a key; empty if this instance does not use it
     * @return the message; empty if it is about another bulkhead, or not from this script
     */
    public static Optional<ShareMessage> message(String text, Function<String, Optional<BulkheadId>> bulkheads) {
        Matcher read = MESSAGE.matcher(text);
        if (!read.matches()) {
            return Optional.empty();
        }
        return bulkheads.apply(read.group("key")).map(bulkhead -> {
            if (read.group("recalled") != null) {
                return new ShareMessage.Recalled(bulkhead, Long.parseLong(read.group("recalled")));
            } else if (read.group("granted") == null) {
                return new ShareMessage.Changed(bulkhead);
            }
            long[] values = Stream.of(read.group("granted").split(" ")).mapToLong(Long::parseLong).toArray();
            return new ShareMessage.Granted(bulkhead, values[0], values[1], values[2], values[3], values[4], values[5] == 1,
                    values[6], (int) values[7]);
        });
    }

    /**
     * The text of a message.
     *
     * @param message the message
     * @param keys the keys of its bulkhead
     */
    public static String text(ShareMessage message, BulkheadKeys keys) {
        String content;
        if (message instanceof ShareMessage.Granted it) {
            content = String.format("granted %d %d %d %d %d %d %d %d ", it.number(), it.epoch(), it.granted(), it.revoked(),
                    it.served(), it.othersWait() ? 1 : 0, it.firstToken(), it.tokens());
        } else if (message instanceof ShareMessage.Recalled it) {
            content = "recalled " + it.number() + " ";
        } else {
            content = "changed ";
        }
        return content + keys.shares();
    }

    private static List<String> operation(String name, String... args) {
        List<String> all = new ArrayList<>(List.of(Integer.toString(ShareMachine.LAYOUT), name));
        all.addAll(List.of(args));
        return all;
    }

    // By hand, because the classes of a JSON library may not be loaded yet, and loading them would delay the first call. Without
    // streams, which take longer than the rest of a statement.
    private static String array(Object... values) {
        StringBuilder text = new StringBuilder(200).append('[');
        for (Object value : values) {
            text.append(value).append(',');
        }
        text.setLength(Math.max(1, text.length() - 1));
        return text.append(']').toString();
    }

    private static <T> String arrays(List<T> all, Function<T, String> array) {
        return all.isEmpty() ? "[]" : array(all.stream().map(array).toArray());
    }

    // Instances, run ids, permit ids and digests have no characters that would have to be escaped.
    private static String quoted(String word) {
        return '"' + word + '"';
    }
}
