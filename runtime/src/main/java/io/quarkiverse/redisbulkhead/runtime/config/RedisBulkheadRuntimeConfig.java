package io.quarkiverse.redisbulkhead.runtime.config;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;

/**
 * Redis Bulkhead
 */
@ConfigMapping(prefix = "quarkus.redis-bulkhead")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface RedisBulkheadRuntimeConfig {

    /**
     * Whether bulkheads limit anything. When false, guarded methods run without asking Redis. Locks lock all the same.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.enabled=false}
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * What the names of all keys and channels in Redis start with; not blank, and without braces. Applications share a
     * bulkhead only when they have the same prefix.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.key-prefix=shop}
     */
    @WithDefault("redis-bulkhead")
    String keyPrefix();

    /**
     * Redis is away when, with commands outstanding, nothing but transient failures has come from it for this time.
     * Transient failures are failed connection attempts, broken connections and replies of a failover or a start; until
     * then a call is sent again with back-off. When Redis is away, {@code on-outage} applies at once.
     * <p>
     * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to one hour.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.command-timeout=500ms}
     */
    @WithDefault("1s")
    Duration commandTimeout();

    /**
     * What happens to calls while Redis is away (see {@code command-timeout}), or refuses them for a reason that does not
     * pass by itself, such as a wrong password. {@code reject}: new calls fail; calls that already wait keep waiting until
     * their {@code max-wait} while Redis is away. {@code allow}: they run without a permit. {@code local}: this process
     * keeps a limit of its own, see {@code local-permits}.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.on-outage=allow}
     */
    @WithDefault("reject")
    OnOutage onOutage();

    /**
     * Whether calls return only when Redis has confirmed the release of their permits and locks. By default they return as
     * soon as the release is handed to the connection, which saves one of two round trips. The next call of the same instance
     * finds the permit free either way. A call to another instance may still find the bulkhead full if it is made right after
     * the first one returned; with {@code max-wait}, it waits for that moment.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.await-release=true}
     */
    @WithDefault("false")
    boolean awaitRelease();

    /**
     * How many instances of the application there are, roughly; at least 1. During an outage under {@code local} each of
     * them keeps the limit divided by this number, unless {@code local-permits} is set.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.instances=4}
     */
    @WithDefault("1")
    int instances();

    /**
     * How many calls of this instance may block threads of the worker pool at once while they wait for permits and locks,
     * over all bulkheads and keys. One more call that would have to wait is rejected at once. Calls that do not block a
     * thread of that pool do not count: those that return a {@code Uni} or a stage, and those on virtual threads or threads
     * of the application's own. At least 0; with 0, no call waits on a thread of the pool.
     * <p>
     * Without it, half of the pool, but at least 1. The size of the pool is {@code quarkus.thread-pool.max-threads}, or the
     * default of Quarkus for that.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.max-blocked-threads=50}
     */
    OptionalInt maxBlockedThreads();

    /**
     * How rejections look in REST applications.
     */
    RestConfig rest();

    /**
     * How the store {@code lock} works.
     */
    LockStoreConfig lockStore();

    /**
     * The locks that code gets by name.
     */
    LocksConfig lock();

    /**
     * Metrics by Micrometer.
     */
    MetricsConfig metrics();

    /**
     * Traces by OpenTelemetry.
     */
    TracingConfig tracing();

    /**
     * Values per bulkhead. They win over those of the annotation.
     */
    @WithParentName
    @ConfigDocMapKey("bulkhead-name")
    Map<String, BulkheadConfig> bulkheads();

    /**
     * How rejections look in REST applications.
     */
    interface RestConfig {

        /**
         * The HTTP status of a call that was rejected because its bulkhead is full; from 400 to 599.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.rest.status=503}
         */
        @WithDefault("429")
        int status();

        /**
         * What {@code Retry-After} says in rejections: a duration, or {@code none} for no such header. Without it, an estimate
         * of when a permit becomes free, from the executions and waiting calls of this instance; from one second to the
         * {@code expire} of the bulkhead. Fractions of a second are rounded up.
         * <p>
         * A duration such as {@code 5s}, {@code 2m} or {@code PT5S}, from one second to 365 days, or {@code none}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.rest.retry-after=5s}
         */
        Optional<String> retryAfter();

        /**
         * Whether the body of a rejection names the bulkhead or lock, and says which limit was reached. These names tell
         * callers how the application works inside. The key of a call is never told.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.rest.expose-name=true}
         */
        @WithDefault("false")
        boolean exposeName();
    }

    /**
     * How rejections of one bulkhead look in REST applications.
     */
    interface BulkheadRestConfig {

        /**
         * What {@code Retry-After} says in rejections by this bulkhead, if it differs from
         * {@code quarkus.redis-bulkhead.rest.retry-after}: a duration, or {@code none} for no such header.
         * <p>
         * A duration such as {@code 5s}, {@code 2m} or {@code PT5S}, from one second to 365 days, or {@code none}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".rest.retry-after=none}
         */
        Optional<String> retryAfter();
    }

    /**
     * How the store {@code lock} works. Each of its steps takes a lock of the bulkhead for a few milliseconds.
     */
    interface LockStoreConfig {

        /**
         * How long a step may take. After that its lock is free, so a process that dies within a step holds up others for
         * as long as this. A process that is paused for longer within a step changes nothing by it, and takes the step again.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from 50 milliseconds to one minute.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock-store.step-timeout=500ms}
         */
        @WithDefault("1s")
        Duration stepTimeout();

        /**
         * For how long an operation tries to get the lock while others have it. A call that has not got it by then is
         * rejected with {@code BulkheadContendedException}, or tries on for as long as its {@code max-wait} says.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, longer than {@code step-timeout}, so that a
         * process that dies does not cause rejections, and at most one hour.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock-store.contention-timeout=5s}
         */
        @WithDefault("3s")
        Duration contentionTimeout();
    }

    /**
     * Metrics by Micrometer.
     */
    interface MetricsConfig {

        /**
         * How often this process looks up how many permits of each declared bulkhead are in use in the whole cluster; one
         * command for each bulkhead, in the background. Zero: never, and then there are no metrics of the cluster. Bulkheads
         * with keys are not looked up.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from 100 milliseconds to one day, or zero.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.cluster-interval=1m}
         */
        @WithDefault("10s")
        Duration clusterInterval();

        /**
         * Whether the metrics of bulkheads with keys have the key as a tag. Each key is then a set of time series of its own,
         * for ever, and whoever reads metrics reads keys. Only for bulkheads whose keys are few and no secret; after 1,000
         * keys the tag is {@code other}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.key-tag=true}
         */
        @WithDefault("false")
        boolean keyTag();
    }

    /**
     * Traces by OpenTelemetry.
     */
    interface TracingConfig {

        /**
         * Whether the spans of bulkheads with keys have the key as an attribute. Whoever reads traces then reads keys.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.tracing.key-attribute=true}
         */
        @WithDefault("false")
        boolean keyAttribute();
    }

    /**
     * The locks that code gets by name.
     */
    interface LocksConfig {

        /**
         * How long a call waits for a lock. Zero: one attempt.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock.acquire-timeout=2s}
         */
        @WithDefault("10s")
        Duration acquireTimeout();

        /**
         * The lease: after what time the lock of an owner that has crashed is free. It is renewed every third of it while
         * the owner lives.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock.lock-timeout=10s}
         */
        @WithDefault("30s")
        Duration lockTimeout();

        /**
         * Values per lock. They win over those of all locks.
         */
        @WithParentName
        @ConfigDocMapKey("lock-name")
        Map<String, LockConfig> locks();
    }

    /**
     * Values of one lock.
     */
    interface LockConfig {

        /**
         * How long a call waits for this lock, if not as long as for all locks. Zero: one attempt.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".acquire-timeout=1m}
         */
        Optional<Duration> acquireTimeout();

        /**
         * The lease of this lock, if not that of all locks.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".lock-timeout=10s}
         */
        Optional<Duration> lockTimeout();

        /**
         * How long this lock is taken at least, from when it was granted, even if it is released earlier. At most
         * {@code lock-timeout}. Without it, a release frees the lock at once.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".min-hold=10s}
         */
        Optional<Duration> minHold();

        /**
         * Whether those who wait get this lock in the order of their requests; not by default.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".fair=true}
         */
        Optional<Boolean> fair();
    }

    /**
     * Values of one bulkhead.
     */
    interface BulkheadConfig {

        /**
         * Whether this bulkhead limits anything; it does by default. When false, the methods that it guards run without
         * asking Redis.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".enabled=false}
         */
        Optional<Boolean> enabled();

        /**
         * How many executions may run at once, at least 1. Without it, what the annotation says; one of both must say it.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".permits=10}
         */
        OptionalInt permits();

        /**
         * How much of the limit each call takes, from 1 to 1,000 and at most the permits. Without it, what the annotation of
         * the call says, else 1.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".weight=3}
         */
        OptionalInt weight();

        /**
         * Whether permits go to waiting callers in the order of their requests. Without it, what the annotation says, else
         * not.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".fair=true}
         */
        Optional<Boolean> fair();

        /**
         * The lease: how long a permit lives in Redis when its holder crashes. It is renewed every third of it while the
         * execution runs. Without it, what the annotation says, else 30 seconds. At least three times
         * {@code quarkus.redis-bulkhead.command-timeout}.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".expire=10s}
         */
        Optional<Duration> expire();

        /**
         * How long a call waits for a permit. Zero: one attempt. Without it, what the annotation says, else zero.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-wait=2s}
         */
        Optional<Duration> maxWait();

        /**
         * For how long a permit is renewed at the most; then it is lost. Without it there is no bound.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-hold=5m}
         */
        Optional<Duration> maxHold();

        /**
         * How long a permit is taken at least, from its start, even if it is released earlier, the application stops or its
         * process dies. A job that is triggered in several instances then runs once per tick, although their clocks differ.
         * At most {@code expire} and {@code max-hold}. Without it, a release frees the permit at once.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".min-hold=10s}
         */
        Optional<Duration> minHold();

        /**
         * What happens to an execution whose permit is lost. {@code report}, the default: the loss is reported.
         * {@code interrupt}: the blocking execution is interrupted as well, or the {@code Uni} fails.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-lost=interrupt}
         */
        Optional<OnLost> onLost();

        /**
         * What happens to calls of guarded methods when the bulkhead is full, at once or after their wait. {@code reject}: they
         * fail. {@code skip}: they return without having run the method, which must return nothing ({@code void},
         * {@code Uni<Void>}, {@code CompletionStage<Void>}). Without it, runs that a scheduler starts are skipped, and all
         * other
         * calls are rejected.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-full=skip}
         */
        Optional<OnFull> onFull();

        /**
         * What happens to calls while Redis is away, if it differs from {@code quarkus.redis-bulkhead.on-outage}:
         * {@code reject}, {@code allow} or {@code local}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-outage=local}
         */
        Optional<OnOutage> onOutage();

        /**
         * The limit of this process while Redis is away or refuses calls, under {@code on-outage=local}; from 1 to the permits.
         * Without it, the limit divided by {@code quarkus.redis-bulkhead.instances}, which must be at least 1.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".local-permits=2}
         */
        OptionalInt localPermits();

        /**
         * How many calls of this instance may wait at this bulkhead at once, over all keys and whatever they wait on:
         * threads, {@code Uni}s or stages. One more call that would have to wait is rejected at once. At least 0; with 0, no
         * call waits, whatever {@code max-wait} says. Without it there is no bound but
         * {@code quarkus.redis-bulkhead.max-blocked-threads}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-waiters=100}
         */
        OptionalInt maxWaiters();

        /**
         * Whether calls return only when Redis has confirmed the release, if it differs from
         * {@code quarkus.redis-bulkhead.await-release}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".await-release=true}
         */
        Optional<Boolean> awaitRelease();

        /**
         * How rejections look in REST applications.
         */
        BulkheadRestConfig rest();
    }
}
