package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.function.Function;

import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;

/** How many callers there are, of what kind, and for how many permits. */
public enum Load {

    /** One caller: how long a call takes. */
    ONE("1-blocking", "1 blocking caller", 1, false, Limit::ample),
    /** A usual service. */
    SIXTY_FOUR("64-blocking", "64 blocking callers", 64, false, Limit::ample),
    /** A busy one. */
    MANY("256-blocking", "256 blocking callers", 256, false, Limit::ample),
    /** A reactive one. */
    ASYNCHRONOUS("1000-asynchronous", "1,000 asynchronous callers", 1_000, true, Limit::ample),
    /** Most callers wait for a permit. */
    CONTENDED("64-contended", "64 blocking callers for 10 permits", 64, false, name -> Limit.tight(name, Limit.TIGHT)),
    /** A bulkhead without a free permit rejects one caller. */
    FULL_ONE("1-full", "1 blocking caller that is rejected", 1, false, Limit::full),
    /** A bulkhead without a free permit rejects many. */
    FULL("64-full", "64 blocking callers that are rejected", 64, false, Limit::full);

    private static final Runnable NOTHING = () -> {
    };

    private final String id;
    private final String title;
    private final int callers;
    private final boolean asynchronous;
    private final Function<String, Limit> limit;

    Load(String id, String title, int callers, boolean asynchronous, Function<String, Limit> limit) {
        this.id = id;
        this.title = title;
        this.callers = callers;
        this.asynchronous = asynchronous;
        this.limit = limit;
    }

    /** Its name among the figures. */
    public String id() {
        return id;
    }

    /** Its name for people. */
    public String title() {
        return title;
    }

    /** How many callers there are. */
    public int callers() {
        return callers;
    }

    /** Whether others hold all permits, so that a pair is a rejection. */
    public boolean isFull() {
        return this == FULL_ONE || this == FULL;
    }

    /** Whether a contender can be put under this load: with 256 callers one lock for all makes a pair take seconds. */
    public boolean suits(Kind kind) {
        return switch (this) {
            case CONTENDED -> kind.limits();
            case FULL_ONE, FULL -> kind == Kind.SCRIPT || kind == Kind.REDISSON_EXPIRABLE;
            case ASYNCHRONOUS -> kind.isAsynchronous() && kind != Kind.LOCAL_FAIR;
            case MANY -> kind != Kind.LOCKED && !kind.isOnlyForContended() && kind != Kind.SCRIPT_RETURNING;
            default -> !kind.isOnlyForContended();
        };
    }

    /** What is asked of a contender. */
    public Limit limit(Kind kind) {
        return limit.apply("benchmark-" + kind.id());
    }

    /** Callers for this load. */
    public Crew crew(Contender contender) {
        if (this == CONTENDED) {
            return BlockingCrew.crowded(contender, callers);
        }
        return asynchronous ? new AsynchronousCrew(contender, callers, NOTHING)
                : new BlockingCrew(isFull() ? contender::newRejectedCaller : contender::newBlockingCaller, callers, NOTHING);
    }
}
