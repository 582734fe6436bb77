package io.quarkiverse.redisbulkhead.deployment.discovery;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkus.redis.client.RedisClientName;

/** The names of types that more than one class uses. */
public final class Names {

    static final DotName REDIS_BULKHEAD = DotName.createSimple(RedisBulkhead.class);
    static final DotName REDIS_BULKHEAD_LIST = DotName.createSimple(RedisBulkhead.List.class);

    /** The annotation of a parameter that is a key. */
    public static final DotName BULKHEAD_KEY = DotName.createSimple(BulkheadKey.class);
    static final DotName BULKHEAD_WEIGHT = DotName.createSimple(BulkheadWeight.class);
    static final DotName BINDING = DotName.createSimple(RedisBulkheadBinding.class);

    static final DotName VOID = DotName.createSimple(Void.class);
    static final DotName OBJECT = DotName.createSimple(Object.class);
    static final DotName DEFAULT = DotName.createSimple("jakarta.enterprise.inject.Default");
    static final DotName VETOED = DotName.createSimple("jakarta.enterprise.inject.Vetoed");
    static final DotName REDIS_CLIENT_NAME = DotName.createSimple(RedisClientName.class);

    /** The annotation of scheduled methods. */
    public static final DotName SCHEDULED = DotName.createSimple("io.quarkus.scheduler.Scheduled");

    /** The container of several schedules. */
    public static final DotName SCHEDULES = DotName.createSimple("io.quarkus.scheduler.Scheduled$Schedules");

    /** The last parameter of a Kotlin {@code suspend} function. */
    public static final DotName CONTINUATION = DotName.createSimple("kotlin.coroutines.Continuation");

    static final DotName INJECT = DotName.createSimple("jakarta.inject.Inject");

    private Names() {
    }

    /**
     * Whether it is the annotation or the container that the compiler writes for several of them.
     *
     * @param annotation the type of an annotation
     * @return true for both
     */
    public static boolean isRedisBulkhead(DotName annotation) {
        return REDIS_BULKHEAD.equals(annotation) || REDIS_BULKHEAD_LIST.equals(annotation);
    }
}
