package io.quarkiverse.redisbulkhead.runtime.store.steps;

import java.time.Duration;
import java.util.Map;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** What callers may ask for; everything else is refused with {@link IllegalArgumentException}. */
public final class Bounds {

    private Bounds() {
    }

    public static void check(AcquireRequest request) {
        checkId(request.permitId());
        checkLimit(request.limit());
        require(request.lease().compareTo(Duration.ZERO) > 0, "The lease must be positive: " + request.lease());
        require(!request.place().isNegative(), "The place must not be negative: " + request.place());
    }

    public static void check(Map<String, Duration> durations) {
        checkCount(durations.size(), 1, PermitStore.MAX_RENEWED_AT_ONCE);
        durations.forEach((id, duration) -> {
            checkId(id);
            require(duration != null, "No duration for permit " + id);
        });
    }

    public static void checkId(String permitId) {
        require(!permitId.isEmpty() && permitId.chars().noneMatch(Character::isWhitespace),
                "A permit id must not be empty nor have white space: '" + permitId + "'");
    }

    public static void checkLimit(int limit) {
        require(limit >= 1, "The limit must be at least 1: " + limit);
    }

    public static void checkCount(int count, int least, int most) {
        require(count >= least && count <= most, "From " + least + " to " + most + " at once, not " + count);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
