package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Checks the arguments of a {@link PermitStore}, before the store is called. */
public final class Bounds {

    private Bounds() {
    }

    /**
     * Calls a store if the arguments are valid.
     *
     * @param check throws {@link IllegalArgumentException} if an argument is out of bounds
     * @param question calls the store
     * @return the answer; fails with what the check threw
     */
    public static <T> CompletionStage<T> checked(Runnable check, Supplier<CompletionStage<T>> question) {
        try {
            check.run();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedStage(e);
        }
        return question.get();
    }

    /** A request for a permit. */
    public static void check(AcquireRequest request) {
        checkId(request.permitId());
        checkLimit(request.limit());
        if (request.lease().isNegative() || request.lease().isZero()) {
            throw refused("The lease must be positive: " + request.lease());
        }
        if (request.place().isNegative()) {
            throw refused("The place must not be negative: " + request.place());
        }
        if (request.ticket() < 0) {
            throw refused("The ticket must not be negative: " + request.ticket());
        }
    }

    /** Leases of a renewal. */
    public static void checkLeases(Map<String, Duration> leases) {
        checkCount("permits", leases.size(), 1, PermitStore.MAX_RENEWED_AT_ONCE);
        leases.forEach((id, duration) -> {
            checkId(id);
            if (duration == null) {
                throw refused("Missing duration for permit " + id);
            }
        });
    }

    /** A poll: its waiters, and how long their places live. */
    public static void checkPolled(Collection<String> permitIds, Duration place) {
        checkCount("permits", permitIds.size(), 1, PermitStore.MAX_POLLED_AT_ONCE);
        permitIds.forEach(Bounds::checkId);
        if (place.isNegative() || place.isZero()) {
            throw refused("The place must be positive: " + place);
        }
    }

    /** A request for a detached permit. */
    public static void check(AttachRequest request) {
        check(request.permit());
        checkId(request.detachedId());
        checkDigest(request.digest());
    }

    /** The digest of a secret. It becomes part of a line of a record. */
    public static void checkDigest(String digest) {
        if (digest.isEmpty() || !digest.chars().allMatch(Character::isLetterOrDigit)) {
            throw refused("The digest must be letters and digits: '" + digest + "'");
        }
    }

    /** Requests to cancel. */
    public static void check(List<String> permitIds) {
        checkCount("permits", permitIds.size(), 1, PermitStore.MAX_CANCELLED_AT_ONCE);
        permitIds.forEach(Bounds::checkId);
    }

    /** The id of a permit. */
    public static void checkId(String permitId) {
        if (permitId.isEmpty() || hasWhiteSpace(permitId)) {
            throw refused("A permit id must not be empty or contain white space: '" + permitId + "'");
        }
    }

    private static boolean hasWhiteSpace(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isWhitespace(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** A limit. */
    public static void checkLimit(int limit) {
        if (limit < 1) {
            throw refused("The limit must be at least 1: " + limit);
        }
    }

    /** How many holders and waiters to list. */
    public static void checkListed(int most) {
        checkCount("holders and waiters", most, 0, PermitStore.MAX_LISTED);
    }

    private static void checkCount(String what, int count, int least, int most) {
        if (count < least || count > most) {
            throw refused("From " + least + " to " + most + " " + what + " at once, not " + count);
        }
    }

    private static IllegalArgumentException refused(String message) {
        return new IllegalArgumentException(message);
    }
}
