package io.quarkiverse.redisbulkhead;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many executions of a method run at the same time across all instances of all applications that share a Redis.
 *
 * <pre>
 * {@literal @}GET
 * {@literal @}RedisBulkhead(name = "reports", permits = 5)
 * public Report render() { ... }
 * </pre>
 *
 * A call takes a permit, runs, and releases the permit when it ends, normally or not. If no permit is free, it waits
 * for up to {@link #maxWait}, and is then rejected with {@link BulkheadFullException}. If Redis is away or refuses the call, it
 * is rejected with {@link BulkheadUnavailableException}, unless {@code on-outage} is configured otherwise. While the method
 * runs, the permit is renewed; {@link CurrentPermit} gives access to it, and {@link PermitLost} reports its loss.
 * <p>
 * On a class it guards every business method of the bean, and all of them share the one bulkhead; a method's own
 * annotation replaces the class's. Private, static and final methods cannot be intercepted and fail the build, and so does a
 * class that is not a CDI bean. A call from within the bean itself is guarded too, as Quarkus intercepts
 * self-invocations. On an interface or its methods, the annotation works only for REST clients ({@code @RegisterRestClient})
 * and for AI services of Quarkus LangChain4j ({@code @RegisterAiService}); otherwise put it on the implementing method.
 * <p>
 * Each call takes its own permit: a guarded method that calls another one of the same bulkhead needs two. With one permit, the
 * inner call is rejected: immediately if it blocks the thread of the outer one, otherwise after {@link #maxWait}.
 * <p>
 * With a {@link BulkheadKey} parameter or a {@link #keyResolver} the bulkhead has one limit for each key, for example one for
 * each tenant.
 * <p>
 * The permits of several annotations on one method are acquired in the written order and released in reverse. If one is
 * rejected, those already acquired are released before the caller sees the rejection.
 * <p>
 * The return type determines how long a permit is held:
 * <ul>
 * <li>{@code Uni}: one permit per subscription, from the subscription until item, failure or cancellation;</li>
 * <li>{@code Multi}: one permit per subscription, until completion, failure or cancellation;</li>
 * <li>{@code CompletionStage} and {@code CompletableFuture}: from the call until the stage completes;</li>
 * <li>a Kotlin {@code suspend} function: from the call until the function ends;</li>
 * <li>anything else: from the call until the method returns. The calling thread waits for Redis, so such a method
 * must not be called on an event loop. Responses to a gRPC {@code StreamObserver} after the method has returned are not
 * covered.</li>
 * </ul>
 * Asynchronous methods run on the Vert.x context of their caller, with its CDI request context and tracing span.
 * <p>
 * With MicroProfile Fault Tolerance, the bulkhead is innermost: each retry takes a new permit, and a timeout includes the wait
 * for it.
 * <p>
 * Every value can be overridden by configuration, for example {@code quarkus.redis-bulkhead."reports".permits=10}. A bulkhead
 * may be named in several places. One of them, or the configuration, states its values, and the others need only the name.
 * What several places state must be the same, except that {@link #weight} and {@link #maxWait} may differ.
 */
@Inherited
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Repeatable(RedisBulkhead.List.class)
public @interface RedisBulkhead {

    /** The value of {@link #permits} that stands for "not set here". */
    int PERMITS_UNSET = Integer.MIN_VALUE;

    /** The default value of {@link #expire}. */
    String DEFAULT_EXPIRE = "30s";

    /** The default value of {@link #maxWait}. */
    String DEFAULT_MAX_WAIT = "0s";

    /**
     * The bulkhead. Applications that use the same name on the same Redis share it. The name may contain expressions such as
     * <code>${app.region:eu}</code>, as in configuration. They are resolved when the application starts; use the resolved name
     * to configure or look up the bulkhead. Other dollar signs stand for themselves.
     *
     * @return the name, not blank, at most {@value SemaphoreSpec#MAX_NAME_LENGTH} characters
     */
    String name();

    /**
     * How many executions may run concurrently. Another annotation with this name may state it instead, or
     * {@code quarkus.redis-bulkhead."name".permits}.
     *
     * @return the limit, from 1 to 2<sup>31</sup>-1
     */
    int permits() default PERMITS_UNSET;

    /**
     * How many permits a call takes. Give a call that uses three times as much of the protected resource as others weight 3. It
     * gets all of them together, as one permit, or waits. Methods that share a bulkhead may have different weights;
     * {@code quarkus.redis-bulkhead."name".weight} overrides all of them.
     * <p>
     * While a heavy call is first in the queue, permits that become free stay unused until all of its weight is free, and
     * lighter calls wait behind it. If {@link RedisSemaphore#resize} sets the limit below the weight, the call is rejected.
     *
     * @return at least 1, and at most the permits
     */
    int weight() default 1;

    /**
     * Whether permits go to waiting callers in the order in which Redis saw their requests. A call that does not wait
     * is not queued: it gets a free permit or is rejected, fair or not.
     *
     * @return {@code true} for first come, first served
     */
    boolean fair() default false;

    /**
     * The lease: how long the permits of an instance live in Redis when it crashes. While an execution runs, the lease is
     * renewed after a third of its length, so it may be shorter than the execution. It should be longer than the pauses that
     * the process may suffer, and must be at least three times {@code quarkus.redis-bulkhead.command-timeout}.
     *
     * @return a duration in Quarkus's syntax ({@code 30s}, {@code 5m}) or in ISO-8601 ({@code PT30S}), from one
     *         millisecond to 365 days; or an expression such as <code>${orders.lease}</code>
     */
    String expire() default DEFAULT_EXPIRE;

    /**
     * How long a call waits for a permit if none is free. Zero means one attempt. Methods that share a bulkhead may wait for
     * different times. A method that states none waits as long as the others if they agree, and otherwise not at all;
     * {@code quarkus.redis-bulkhead."name".max-wait} overrides all of them.
     *
     * @return a duration in Quarkus's syntax ({@code 2s}) or in ISO-8601 ({@code PT2S}), up to 365 days; or an expression
     *         such as <code>${orders.wait:2s}</code>
     */
    String maxWait() default DEFAULT_MAX_WAIT;

    /**
     * The bean that determines the key of each call, if a {@link BulkheadKey} parameter is not enough. The bulkhead then has
     * one limit for each key.
     *
     * @return the class of a CDI bean; leave it out for none, as {@link BulkheadKeyResolver} itself fails the build
     */
    Class<? extends BulkheadKeyResolver> keyResolver() default BulkheadKeyResolver.class;

    /** Holds several {@link RedisBulkhead} annotations of one method or class; the compiler generates it. */
    @Inherited
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @interface List {

        /**
         * The annotations in the order written.
         *
         * @return at least two
         */
        RedisBulkhead[] value();
    }
}
