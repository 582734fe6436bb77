package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Writes the ARGV of {@code batch.lua}, whose header tells their form. */
final class BatchArguments {

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

    void acquire(String permitId, Terms stated) {
        calls.add(bytes(number(stated)));
        calls.add(bytes(permitId));
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
        calls.add(bytes(permitId));
    }

    void cancel(List<String> permitIds, Duration forgetAfter) {
        calls.add(CANCEL);
        calls.add(bytes(Math.max(1, forgetAfter.toMillis())));
        calls.add(bytes(permitIds.size()));
        permitIds.forEach(id -> calls.add(bytes(id)));
    }

    void renew(String permitId, Duration lease) {
        calls.add(RENEW);
        calls.add(bytes(permitId));
        calls.add(bytes(Math.max(1, lease.toMillis())));
    }

    List<byte[]> all() {
        List<byte[]> all = new ArrayList<>(1 + 5 * terms.size() + calls.size());
        all.add(bytes(terms.size()));
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
