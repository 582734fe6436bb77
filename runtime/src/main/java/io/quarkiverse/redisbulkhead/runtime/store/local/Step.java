package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.Notice;

/** One atomic step: its instant, and what is to be told when it is over. */
final class Step {

    /** Longer than anybody means, and short enough to be added to any instant. */
    private static final Duration LONGEST = Duration.ofDays(365_000);

    private final LocalClock clock;
    private final long millis;
    private final long micros;
    private final List<Notice> notices = new ArrayList<>();

    Step(LocalClock clock, long millis, long micros) {
        this.clock = clock;
        this.millis = millis;
        this.micros = micros;
    }

    long millis() {
        return millis;
    }

    /** The first whole millisecond that is not in the past: what ends so long after it has had its full time. */
    long nextMillis() {
        return millis + (micros > millis * 1_000 ? 1 : 0);
    }

    long nextTicket() {
        return clock.nextTicket(micros);
    }

    /** When something ends that starts now, in milliseconds since the epoch; parts of a millisecond count as one. */
    long endOf(Duration duration) {
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return bounded.isNegative() ? millis : nextMillis() + bounded.plusNanos(999_999).toMillis();
    }

    void tell(Notice notice) {
        notices.add(notice);
    }

    List<Notice> notices() {
        return notices;
    }
}
