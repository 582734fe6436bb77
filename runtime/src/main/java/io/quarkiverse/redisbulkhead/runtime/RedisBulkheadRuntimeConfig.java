package io.quarkiverse.redisbulkhead.runtime;

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
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * What the names of all keys in Redis start with. Applications share a bulkhead only when they have the same
     * prefix.
     */
    @WithDefault("redis-bulkhead")
    String keyPrefix();

    /**
     * How long a call waits for an answer from Redis before Redis counts as unavailable. It holds for each permit
     * that a call takes, and again for giving it back.
     */
    @WithDefault("1s")
    Duration commandTimeout();

    /**
     * What happens to calls while Redis gives no answer. {@code reject}: they fail. {@code allow}: they run without a
     * permit. {@code local}: this process keeps a limit of its own, see {@code local-permits}.
     */
    @WithDefault("reject")
    OnOutage onOutage();

    /**
     * How many instances of the application there are, roughly. During an outage under {@code local} each of them keeps
     * the limit divided by this number, and at least one permit, unless {@code local-permits} is set.
     */
    @WithDefault("1")
    int instances();

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
         */
        @WithDefault("429")
        int status();
    }

    /**
     * How the store {@code lock} works. Each of its steps takes a lock of the bulkhead for a few milliseconds.
     */
    interface LockStoreConfig {

        /**
         * How long a step may take. After that its lock is free, so a process that dies within a step holds up others for as
         * long as this. A process that is paused for longer within a step changes nothing by it, and takes the step again.
         */
        @WithDefault("1s")
        Duration stepTimeout();

        /**
         * For how long an operation tries to get the lock while others have it. A call that has not got it by then is rejected
         * with {@code BulkheadContendedException}, or tries on for as long as its {@code max-wait} says. Must be longer than
         * {@code step-timeout}, so that a process that dies does not cause rejections.
         */
        @WithDefault("3s")
        Duration contentionTimeout();
    }

    /**
     * The locks that code gets by name.
     */
    interface LocksConfig {

        /**
         * How long a call waits for a lock. Zero: one attempt.
         */
        @WithDefault("10s")
        Duration acquireTimeout();

        /**
         * The lease: after what time the lock of an owner that has crashed is free. It is renewed every third of it while the
         * owner lives.
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
         */
        Optional<Duration> acquireTimeout();

        /**
         * The lease of this lock, if not that of all locks.
         */
        Optional<Duration> lockTimeout();

        /**
         * Whether those who wait get this lock in the order of their requests; not by default.
         */
        Optional<Boolean> fair();
    }

    /**
     * Values of one bulkhead.
     */
    interface BulkheadConfig {

        /**
         * Whether this bulkhead limits anything.
         */
        Optional<Boolean> enabled();

        /**
         * How many executions may run at once, at least 1.
         */
        OptionalInt permits();

        /**
         * Whether permits go to waiting callers in the order of their requests.
         */
        Optional<Boolean> fair();

        /**
         * The lease: how long a permit lives in Redis when its holder crashes. It is renewed every third of it while the
         * execution runs.
         */
        Optional<Duration> expire();

        /**
         * How long a call waits for a permit. Zero: one attempt.
         */
        Optional<Duration> maxWait();

        /**
         * For how long a permit is renewed at the most; then it is lost. Without it there is no bound.
         */
        Optional<Duration> maxHold();

        /**
         * What happens to an execution whose permit is lost. {@code report}: the loss is reported. {@code interrupt}: the
         * blocking execution is interrupted as well, or the {@code Uni} fails.
         */
        Optional<OnLost> onLost();

        /**
         * What happens to calls while Redis gives no answer, if not what the global property says.
         */
        Optional<OnOutage> onOutage();

        /**
         * The limit of this process while Redis gives no answer, under {@code on-outage=local}; at least 1. Without it, the
         * limit divided by {@code quarkus.redis-bulkhead.instances}.
         */
        OptionalInt localPermits();
    }
}
