package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Revoked;

/** How notices are written as messages to a {@link NotificationSubscriber}; the scripts write them in the same way. */
public final class Messages {

    private static final String HANDED_OVER = "handed-over";
    private static final String FREE = "free";
    private static final String REVOKED = "revoked";
    private static final int MOST_WORDS = 4;

    private Messages() {
    }

    /** A permit was handed over. */
    public static String handedOver(String permitId, HandOver handOver) {
        return String.join(" ", HANDED_OVER, permitId, Long.toString(handOver.ticket()),
                Long.toString(handOver.leaseEndMillis()));
    }

    /** A permit is free for this waiter. */
    public static String free(String permitId) {
        return FREE + " " + permitId;
    }

    /** A permit was taken away. */
    public static String revoked(String permitId) {
        return REVOKED + " " + permitId;
    }

    /**
     * What a message says, one notice a line. Anybody may have sent it who may publish, so lines that are none of ours are left
     * out.
     */
    public static List<Notice> read(String message) {
        List<Notice> notices = new ArrayList<>(1);
        message.lines().forEach(line -> readLine(line).ifPresent(notices::add));
        return notices;
    }

    private static Optional<Notice> readLine(String line) {
        String[] words = line.split(" ", MOST_WORDS + 1);
        if (words.length == MOST_WORDS && words[0].equals(HANDED_OVER)) {
            try {
                return Optional.of(new HandedOver(words[1],
                        new HandOver(Long.parseLong(words[2]), Long.parseLong(words[3]))));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
        if (words.length == 2 && words[0].equals(FREE)) {
            return Optional.of(new PermitFree(words[1]));
        }
        if (words.length == 2 && words[0].equals(REVOKED)) {
            return Optional.of(new Revoked(words[1]));
        }
        return Optional.empty();
    }
}
