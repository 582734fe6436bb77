package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes the ARGV of {@code batch.lua}, whose header tells their form. */
final class BatchArguments {

    private static final byte[] QUEUE = bytes("queue");
    private static final byte[] RELEASE = bytes("release");
    private static final byte[] CANCEL = bytes("cancel");
    private static final byte[] RENEW = bytes("renew");

    /**
     * What acquires state that are alike.
     *
     * @param limit how many permits there are
     * @param lease how long the permit lives
     * @param fair whether to wait in the queue
     * @param place for how long to wait before the first sign of life; zero: not at all
     * @param owner who asks, as {@code details} has it
     */
    record Terms(int limit, Duration lease, boolean fair, Duration place, String owner) {
    }

    private final List<Terms> terms = new ArrayList<>(1);
    private final List<byte[]> calls = new ArrayList<>();
    private final Set<String> permitIds = new HashSet<>();
    private boolean anyTwice;

    void acquire(String permitId, long ticket, Terms stated) {
        if (ticket > 0) {
            calls.add(QUEUE);
            calls.add(bytes(ticket));
        }
        calls.add(bytes(number(stated)));
        calls.add(id(permitId));
    }

    // There are few, and most often it is the last one.
    private int number(Terms stated) {
        int index = terms.lastIndexOf(stated);
        if (index < 0) {
            terms.add(stated);
            return terms.size();
        }
        return index + 1;
    }

    void release(String permitId) {
        calls.add(RELEASE);
        calls.add(id(permitId));
    }

    void cancel(List<String> ids, Duration forgetAfter) {
        calls.add(CANCEL);
        calls.add(bytes(Math.max(1, forgetAfter.toMillis())));
        calls.add(bytes(ids.size()));
        ids.forEach(id -> calls.add(id(id)));
    }

    void renew(String permitId, Duration lease) {
        calls.add(RENEW);
        calls.add(id(permitId));
        calls.add(bytes(Math.max(1, lease.toMillis())));
    }

    private byte[] id(String permitId) {
        anyTwice |= !permitIds.add(permitId);
        return bytes(permitId);
    }

    List<byte[]> all() {
        List<byte[]> all = new ArrayList<>(2 + 5 * terms.size() + calls.size());
        all.add(bytes(terms.size()));
        all.add(bytes(anyTwice ? 0 : 1));
        for (Terms stated : terms) {
            all.add(bytes(stated.limit()));
            all.add(bytes(stated.lease().toMillis()));
            all.add(bytes(stated.fair() ? 1 : 0));
            all.add(bytes(stated.place().toMillis()));
            all.add(bytes(stated.owner()));
        }
        all.addAll(calls);
        return all;
    }

    private static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
