package io.quarkiverse.redisbulkhead.runtime.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.quarkus.runtime.configuration.TrimmedStringConverter;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;

/**
 * Redis Bulkhead
 */
@ConfigMapping(prefix = "quarkus.redis-bulkhead")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface RedisBulkheadRuntimeConfig {

    /**
     * Whether bulkheads limit anything. If false, guarded methods run without a permit. Locks are not affected.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.enabled=false}
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * The prefix of all keys and channels in Redis: ASCII letters, digits and punctuation other than braces, quotation marks
     * and backslashes. Applications share a bulkhead only if they use the same prefix.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.key-prefix=shop}
     */
    @WithDefault("redis-bulkhead")
    String keyPrefix();

    /**
     * How long Redis may be silent while commands are outstanding, or send nothing but transient errors, before it counts as
     * away. Transient errors are failed connection attempts, broken connections and the replies of a failover or start-up.
     * Until then, calls are retried with back-off. While Redis is away, {@code on-outage} applies.
     * <p>
     * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to one hour.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.command-timeout=500ms}
     */
    @WithDefault("1s")
    Duration commandTimeout();

    /**
     * What happens to calls while Redis is away (see {@code command-timeout}), or refuses them for a permanent reason such as
     * a wrong password. {@code reject}: new calls fail; while Redis is away, calls that are already waiting keep waiting until
     * their {@code max-wait} has passed. {@code allow}: calls run without a permit. {@code local}: this process applies its
     * own limit, see {@code local-permits}; bulkheads with fewer permits than {@code instances}, and without
     * {@code local-permits}, follow {@code reject}.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.on-outage=allow}
     */
    @WithDefault("reject")
    OnOutage onOutage();

    /**
     * Whether calls return only when Redis has confirmed the release of their permits and locks. That costs a round trip for
     * each call. By default, calls do not wait for Redis, and their permits may stay idle in the instance. The next call of the
     * same instance finds the permit free in either case. A call to another instance, right after the first one returned, may
     * still find the bulkhead full; with {@code max-wait}, it waits for that moment.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.await-release=true}
     */
    @WithDefault("false")
    boolean awaitRelease();

    /**
     * How long a permit that no execution uses stays with the instance before it goes back to Redis. Until then, it serves the
     * next call of the instance without a round trip. It goes back earlier if another instance needs it. With zero, each
     * permit goes back as soon as its execution ends.
     * <p>
     * Locks, and bulkheads and keys with one permit, do not use this value: their permits go back as soon as they are
     * released, unless {@code keep-idle} is set for their name.
     * <p>
     * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.keep-idle=5s}
     */
    @WithDefault("1s")
    Duration keepIdle();

    /**
     * After what time a permit or lock that is still held is reported: by a warning, once per permit, that names the guarded
     * method, or the code that acquired it. With zero, nothing is reported. By default, 10 minutes in dev mode, and zero
     * otherwise.
     * <p>
     * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.warn-after=5m}
     */
    Optional<Duration> warnAfter();

    /**
     * Whether warnings about permits that code acquired, and did not release or holds for long, have the line that acquired
     * them. Otherwise, they have the method. Recording the line takes some microseconds per permit. By default, {@code true} in
     * dev mode and in tests, and {@code false} otherwise. Guarded methods record nothing.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.record-places=true}
     */
    Optional<Boolean> recordPlaces();

    /**
     * The approximate number of instances of the application, at least 1. During an outage under {@code local}, each of them
     * applies the limit divided by this number, unless {@code local-permits} is set.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.instances=4}
     */
    @WithDefault("1")
    int instances();

    /**
     * How many calls of this instance may block threads of the worker pool concurrently while they wait for permits and locks,
     * across all bulkheads and keys. Further calls that would have to wait are rejected immediately. Calls that do not block a
     * thread of that pool do not count: those that return a {@code Uni} or a stage, and those on virtual threads or on the
     * application's own threads. At least 0; with 0, no call waits on a thread of the pool.
     * <p>
     * By default, half of the pool, but at least 1. The size of the pool is {@code quarkus.thread-pool.max-threads}, or its
     * default.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.max-blocked-threads=50}
     */
    OptionalInt maxBlockedThreads();

    /**
     * What rejections look like in REST applications.
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
     * Micrometer metrics.
     */
    MetricsConfig metrics();

    /**
     * OpenTelemetry traces.
     */
    TracingConfig tracing();

    /**
     * Values per bulkhead. They override the annotation.
     */
    @WithParentName
    @ConfigDocMapKey("bulkhead-name")
    Map<String, BulkheadConfig> bulkheads();

    /**
     * What rejections look like in REST applications.
     */
    interface RestConfig {

        /**
         * The HTTP status of a call that was rejected because its bulkhead is full, from 400 to 599.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.rest.status=503}
         */
        @WithDefault("429")
        int status();

        /**
         * What {@code Retry-After} says in rejections: a duration, or {@code none} to omit the header. By default, an estimate
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
         * callers how the application works inside. The key of a call is never revealed.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.rest.expose-name=true}
         */
        @WithDefault("false")
        boolean exposeName();
    }

    /**
     * What rejections of one bulkhead look like in REST applications.
     */
    interface BulkheadRestConfig {

        /**
         * What {@code Retry-After} says in rejections by this bulkhead, if it differs from
         * {@code quarkus.redis-bulkhead.rest.retry-after}: a duration, or {@code none} to omit the header.
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
         * How long a step may take before its lock expires. A process that dies during a step blocks others for this time. A
         * process that is paused for longer during a step changes nothing, and repeats the step.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from 50 milliseconds to one minute.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock-store.step-timeout=500ms}
         */
        @WithDefault("1s")
        Duration stepTimeout();

        /**
         * How long an operation tries to get the lock while others have it. After that, a call is rejected with
         * {@code BulkheadContendedException}, or keeps trying until its {@code max-wait} has passed.
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
     * Micrometer metrics.
     */
    interface MetricsConfig {

        /**
         * How often this process reads how many permits of each declared bulkhead are in use in the whole cluster, in the
         * background, with one command per bulkhead. With zero, there are no cluster-wide metrics. Bulkheads with keys are not
         * read.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from 100 milliseconds to one day, or zero.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.cluster-interval=1m}
         */
        @WithDefault("10s")
        Duration clusterInterval();

        /**
         * Locks and bulkheads without an annotation that have time series of their own, as annotated bulkheads do. All others
         * share the series with the tag {@code bulkhead=other}, so that computed names, such as {@code "order-" + id}, create
         * no series. A lock is listed as {@code lock:} and its name.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.names=imports,lock:archive}
         */
        Optional<List<@WithConverter(TrimmedStringConverter.class) String>> names();

        /**
         * Whether the metrics of bulkheads with keys have the key as a tag. Each key then creates its own time series, and
         * everyone who can read metrics can read keys. Use this only if keys are few and not secret; after 1,000 keys the tag
         * is {@code other}. Locks and bulkheads that share the series {@code bulkhead=other} have no key.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.key-tag=true}
         */
        @WithDefault("false")
        boolean keyTag();
    }

    /**
     * OpenTelemetry traces.
     */
    interface TracingConfig {

        /**
         * Whether the spans of bulkheads with keys have the key as an attribute. Everyone who can read traces can then read
         * keys.
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
         * How long a call waits for a lock. Zero means one attempt.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock.acquire-timeout=2s}
         */
        @WithDefault("10s")
        Duration acquireTimeout();

        /**
         * The lease: how long a lock lives in Redis when its owner crashes. It is renewed every third of this time while the
         * owner lives.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock.lock-timeout=10s}
         */
        @WithDefault("30s")
        Duration lockTimeout();

        /**
         * Values per lock. They override those of all locks.
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
         * How long a call waits for this lock. Zero means one attempt. By default the value for all locks.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".acquire-timeout=1m}
         */
        Optional<Duration> acquireTimeout();

        /**
         * The lease of this lock. By default the value for all locks.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".lock-timeout=10s}
         */
        Optional<Duration> lockTimeout();

        /**
         * The minimum time for which this lock stays taken after it was granted, even if it is released earlier. At most
         * {@code lock-timeout}. By default, a release frees the lock immediately.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".min-hold=10s}
         */
        Optional<Duration> minHold();

        /**
         * How long this lock stays with the instance after its release, before it goes back to Redis. Until then, the next
         * call of the instance gets it without a round trip. It goes back earlier if another instance needs it. By default,
         * it goes back as soon as it is released.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".keep-idle=5s}
         */
        Optional<Duration> keepIdle();

        /**
         * After what time this lock is reported if it is still held. Zero: never. By default the value of
         * {@code quarkus.redis-bulkhead.warn-after}.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.lock."archive".warn-after=5m}
         */
        Optional<Duration> warnAfter();

        /**
         * Whether waiting calls get this lock in order of arrival. By default they do not.
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
         * Whether this bulkhead limits anything, by default {@code true}. If false, the methods that it guards run without a
         * permit.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".enabled=false}
         */
        Optional<Boolean> enabled();

        /**
         * How many executions may run concurrently, at least 1. Must be set here or in the annotation.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".permits=10}
         */
        OptionalInt permits();

        /**
         * How much of the limit each call takes, at least 1 and at most the permits. By default the value of the
         * annotation, or 1.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".weight=3}
         */
        OptionalInt weight();

        /**
         * Whether waiting calls get permits in order of arrival. By default the value of the annotation, or {@code false}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".fair=true}
         */
        Optional<Boolean> fair();

        /**
         * The lease: how long a permit lives in Redis when its holder crashes. It is renewed every third of this time while the
         * execution runs. At least three times {@code quarkus.redis-bulkhead.command-timeout}. By default the value of the
         * annotation, or 30 seconds.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".expire=10s}
         */
        Optional<Duration> expire();

        /**
         * How long a call waits for a permit. Zero means one attempt. By default the value of the annotation, or zero.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, up to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-wait=2s}
         */
        Optional<Duration> maxWait();

        /**
         * The maximum time for which a permit is renewed; after that it is lost. By default there is no bound.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from one millisecond to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-hold=5m}
         */
        Optional<Duration> maxHold();

        /**
         * The minimum time for which a permit stays taken after it was granted, even if it is released earlier, the
         * application stops or its process dies. A job that several instances trigger then runs once per tick, even if their
         * clocks differ. At most {@code expire} and {@code max-hold}. By default, a release frees the permit immediately.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".min-hold=10s}
         */
        Optional<Duration> minHold();

        /**
         * How long a permit that no execution uses stays with the instance before it goes back to Redis. Until then, it serves
         * the next call of the instance without a round trip. It goes back earlier if another instance needs it. With zero,
         * each permit goes back as soon as its execution ends. By default the value of
         * {@code quarkus.redis-bulkhead.keep-idle}, or zero where there is only one permit.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".keep-idle=5s}
         */
        Optional<Duration> keepIdle();

        /**
         * After what time a permit that is still held is reported. Zero: never. By default the value of
         * {@code quarkus.redis-bulkhead.warn-after}.
         * <p>
         * A duration such as {@code 500ms}, {@code 30s} or {@code PT30S}, from zero to 365 days.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".warn-after=5m}
         */
        Optional<Duration> warnAfter();

        /**
         * What happens to an execution that loses its permit. {@code report}, the default: the loss is reported.
         * {@code interrupt}: in addition, the blocking execution is interrupted, or the {@code Uni} fails.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-lost=interrupt}
         */
        Optional<OnLost> onLost();

        /**
         * What happens to calls of guarded methods when the bulkhead is full, immediately or after their wait. {@code reject}:
         * they fail. {@code skip}: they return without having run the method, which must return nothing ({@code void},
         * {@code Uni<Void>}, {@code CompletionStage<Void>}) and must not be a Kotlin {@code suspend} function. By default,
         * runs that a scheduler starts are skipped, and all other calls are rejected.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-full=skip}
         */
        Optional<OnFull> onFull();

        /**
         * What happens to calls while Redis is away: {@code reject}, {@code allow} or {@code local}. By default the value of
         * {@code quarkus.redis-bulkhead.on-outage}. {@code local} needs {@code local-permits}, or at least as many permits as
         * {@code quarkus.redis-bulkhead.instances}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".on-outage=local}
         */
        Optional<OnOutage> onOutage();

        /**
         * The limit of this process while Redis is away or refuses calls, under {@code on-outage=local}; from 1 to the permits.
         * By default the permits divided by {@code quarkus.redis-bulkhead.instances}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".local-permits=2}
         */
        OptionalInt localPermits();

        /**
         * How many calls of this instance may wait for this bulkhead concurrently, across all keys, whether they block a thread
         * or not. Further calls that would have to wait are rejected immediately. At least 0; with 0, no call waits, even with
         * a {@code max-wait}. By default the only bound is {@code quarkus.redis-bulkhead.max-blocked-threads}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".max-waiters=100}
         */
        OptionalInt maxWaiters();

        /**
         * Whether calls return only when Redis has confirmed the release. By default the value of
         * {@code quarkus.redis-bulkhead.await-release}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead."reports".await-release=true}
         */
        Optional<Boolean> awaitRelease();

        /**
         * What rejections look like in REST applications.
         */
        BulkheadRestConfig rest();
    }

    /** What happens to a call of a guarded method when its bulkhead is full, immediately or after its wait. */
    enum OnFull {

        /** It fails with {@link io.quarkiverse.redisbulkhead.BulkheadFullException}. */
        REJECT,

        /** It returns without having run the method. Only for methods that return nothing. */
        SKIP
    }
}
