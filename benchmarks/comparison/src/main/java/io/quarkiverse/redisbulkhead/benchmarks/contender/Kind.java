package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.reference.BasicSemaphore;
import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;

/** The ways to limit executions that are compared. */
public enum Kind {

    /** Guarded methods, with the store with scripts. */
    SCRIPT("script", "`script`", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return GuardedContender.of(environment, limit, false);
        }
    },
    /** Guarded methods, in the order of requests. */
    SCRIPT_FAIR("script-fair", "`script`, fair", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return GuardedContender.of(environment, limit, true);
        }
    },
    /** Guarded methods that return each permit to Redis when their execution ends. */
    SCRIPT_RETURNING("script-keep-idle-0", "`script`, `keep-idle=0`", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return GuardedContender.returning(environment, limit, false);
        }
    },
    /** The same, in the order of requests. */
    SCRIPT_FAIR_RETURNING("script-fair-keep-idle-0", "`script`, fair, `keep-idle=0`", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return GuardedContender.returning(environment, limit, true);
        }
    },
    /**
     * The store with scripts in the order of requests, called as the stores below are: what an interceptor adds is left out.
     */
    SCRIPT_FAIR_CALLED("script-fair-called", "`script`, fair, without the interceptor", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new OwnContender(environment, OwnStore.script(environment), limit, true);
        }
    },
    /** Our store without scripts. */
    LOCK("lock", "`lock`", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new OwnContender(environment, OwnStore.lock(environment), limit, false);
        }
    },
    /** Our store in this process. */
    LOCAL("local", "`local`", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new OwnContender(environment, OwnStore.local(), limit, false);
        }
    },
    /** Our store in this process, in the order of requests. */
    LOCAL_FAIR("local-fair", "`local`, fair", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new OwnContender(environment, OwnStore.local(), limit, true);
        }
    },
    /** Redisson's semaphore of permits with ids and leases. */
    REDISSON_EXPIRABLE("redisson-expirable", "Redisson `RPermitExpirableSemaphore`", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new RedissonExpirable(environment, limit);
        }
    },
    /** Redisson's counter. */
    REDISSON_PLAIN("redisson-plain", "Redisson `RSemaphore`", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new RedissonPlain(environment, limit);
        }
    },
    /** The basic semaphore of the old texts. */
    BASIC("book-basic", "book: basic", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new ReferenceContender(environment, limit, BasicSemaphore::new);
        }
    },
    /** The fair semaphore of the old texts. */
    FAIR("book-fair", "book: fair", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new ReferenceContender(environment, limit, FairSemaphore::new);
        }
    },
    /** The fair semaphore of the old texts within a lock. */
    LOCKED("book-locked", "book: locked", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new ReferenceContender(environment, limit, LockedSemaphore::new);
        }
    },
    /** Nothing but round trips, on our connection. */
    PINGS("pings", "two ``PING``s", true) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new TwoPings(environment);
        }
    },
    /** Nothing but round trips, on a connection for each caller. */
    POOLED_PINGS("pooled-pings", "two ``PING``s, Jedis pool", false) {

        @Override
        public Contender open(BenchmarkEnvironment environment, Limit limit, int callers) {
            return new TwoPooledPings(environment, callers);
        }
    };

    private final String id;
    private final String title;
    private final boolean asynchronous;

    Kind(String id, String title, boolean asynchronous) {
        this.id = id;
        this.title = title;
        this.asynchronous = asynchronous;
    }

    /**
     * Sets one up.
     *
     * @param environment what it runs in
     * @param limit what is asked of it; the name must be its own
     * @param callers how many will use it at once
     */
    public abstract Contender open(BenchmarkEnvironment environment, Limit limit, int callers);

    /**
     * The one of that name.
     *
     * @param id its name among the figures
     */
    public static Kind of(String id) {
        return Stream.of(values()).filter(kind -> kind.id.equals(id)).findFirst().orElseThrow();
    }

    /** Its name among the figures. */
    public String id() {
        return id;
    }

    /** Its name for people, in AsciiDoc. */
    public String title() {
        return title;
    }

    /** Whether it limits anything; else it only shows what round trips cost. */
    public boolean limits() {
        return this != PINGS && this != POOLED_PINGS;
    }

    /** Whether it is measured only where callers wait for each other. */
    public boolean isOnlyForContended() {
        return this == SCRIPT_FAIR_RETURNING || this == SCRIPT_FAIR_CALLED || this == LOCAL_FAIR;
    }

    /** Whether it uses Redis, so that its figures can be compared. */
    public boolean isInRedis() {
        return this != LOCAL && this != LOCAL_FAIR;
    }

    /** Whether it has an asynchronous API. */
    public boolean isAsynchronous() {
        return asynchronous;
    }
}
