package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * A call of {@code bulkhead.lua}, from the caller's request to its result. Also the format of a command with several calls and
 * of its reply; the header of the script documents both.
 * <p>
 * Used on the context of the {@link RedisConnectionManager}, except for the result.
 */
final class ScriptCall<T> {

    /** Makes the result of a call from its part of the reply. */
    interface Decoder<T> {

        /**
         * Makes the result.
         *
         * @param answers of the reply
         * @param index of the first answer to the call
         * @param repeated whether the call was sent more than once: an earlier copy may have been carried out before this one,
         *        or may still be carried out
         */
        T read(List<String> answers, int index, boolean repeated);
    }

    /**
     * What acquires that are alike have in common. A command states it once for all of them.
     *
     * @param place for how many milliseconds the process counts as alive; zero: the caller does not wait
     * @param owner as the last lines of a record have it
     */
    record Terms(int limit, long lease, long place, boolean fair, String owner) {

        static Terms of(AcquireRequest request, String owner) {
            return new Terms(request.limit(), request.lease().toMillis(), request.place().toMillis(), request.fair(), owner);
        }

        // Written out, because what the compiler generates for records is linked at the first call, which takes milliseconds.
        @Override
        public boolean equals(Object other) {
            return this == other || other instanceof Terms terms && limit == terms.limit && lease == terms.lease
                    && place == terms.place && fair == terms.fair && owner.equals(terms.owner);
        }

        @Override
        public int hashCode() {
            return 31 * owner.hashCode() + limit;
        }

        private void write(List<byte[]> to) {
            to.add(bytes(limit));
            to.add(bytes(lease));
            to.add(bytes(place));
            to.add(bytes(fair ? 1 : 0));
            to.add(bytes(tail()));
        }

        /** A record from the line break before the lease on. */
        String tail() {
            return "\n" + lease + "\n" + limit + "\n" + owner;
        }
    }

    /**
     * The reply to a command.
     *
     * @param notices what it has for the process
     * @param answers to the calls, in their order
     */
    record Reply(List<String> notices, List<String> answers) {

        static Reply of(String text) {
            List<String> lines = List.of(text.split("\n"));
            int first = 1 + Integer.parseInt(lines.get(0));
            return new Reply(lines.subList(1, first), lines.subList(first, lines.size()));
        }
    }

    /** How many answers the reply has for the call. */
    final int answerCount;
    /** Whether a caller waits for the result. */
    final boolean awaited;
    /** How much of a command the call takes: 1 for each answer, and more for heavy permits. */
    final int size;
    final long createdNanos = System.nanoTime();
    final CompletableFuture<T> result = new CompletableFuture<>();
    /** Whether an earlier command had the call and may have been carried out. */
    boolean mayHaveBeenCarriedOut;

    private final Terms terms;
    private final List<byte[]> words;
    private final Decoder<T> decoder;

    /**
     * A call.
     *
     * @param answerCount how many answers the reply has for it
     * @param awaited whether a caller waits for the result
     * @param terms what an acquire states; null for other calls
     * @param words the arguments; of an acquire, what comes before the number of its terms, and the permit id last
     */
    ScriptCall(int answerCount, boolean awaited, Terms terms, List<byte[]> words, Decoder<T> decoder) {
        this.answerCount = answerCount;
        this.awaited = awaited;
        this.terms = terms;
        this.words = words;
        this.decoder = decoder;
        this.size = answerCount + extraWeight(words);
    }

    // A heavy permit costs Redis as much as many light ones.
    private static int extraWeight(List<byte[]> words) {
        int extra = 0;
        for (byte[] word : words) {
            extra += word.length > 0 && word[0] == '*' ? Weights.of(new String(word, StandardCharsets.UTF_8)) - 1 : 0;
        }
        return extra;
    }

    /** The arguments of a command with these calls. */
    static List<byte[]> arguments(String process, List<ScriptCall<?>> calls) {
        List<Terms> terms = new ArrayList<>(1);
        List<byte[]> all = new ArrayList<>(8 + 2 * calls.size());
        boolean heavy = false;
        for (ScriptCall<?> call : calls) {
            heavy |= call.size > call.answerCount;
            // The terms are few, and most often the last ones match.
            if (call.terms != null && terms.lastIndexOf(call.terms) < 0) {
                terms.add(call.terms);
            }
        }
        all.add(bytes(process));
        all.add(bytes(terms.size()));
        all.add(bytes(heavy ? 1 : 0));
        for (Terms some : terms) {
            some.write(all);
        }
        for (ScriptCall<?> call : calls) {
            int last = call.words.size() - 1;
            all.addAll(call.terms == null ? call.words : call.words.subList(0, last));
            if (call.terms != null) {
                all.add(bytes(1 + terms.lastIndexOf(call.terms)));
                all.add(call.words.get(last));
            }
        }
        return all;
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Completes the result. Throws what the decoder throws at a reply that it cannot read.
     *
     * @param answers of the reply
     * @param index of the first answer to this call
     * @param repeated whether the command was sent more than once
     */
    void complete(List<String> answers, int index, boolean repeated) {
        result.complete(decoder.read(answers, index, repeated || mayHaveBeenCarriedOut));
    }

    void fail(Throwable failure) {
        result.completeExceptionally(mayHaveBeenCarriedOut && failure instanceof StoreException known
                ? known.withUnknownOutcome()
                : failure);
    }
}
