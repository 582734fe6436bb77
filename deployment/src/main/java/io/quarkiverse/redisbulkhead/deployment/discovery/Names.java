package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Set;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBinding;
import io.quarkus.redis.client.RedisClientName;

/** The names of types that discovery uses. */
final class Names {

    static final DotName REDIS_BULKHEAD = DotName.createSimple(RedisBulkhead.class);
    static final DotName REDIS_BULKHEAD_LIST = DotName.createSimple(RedisBulkhead.List.class);
    static final DotName BULKHEAD_KEY = DotName.createSimple(BulkheadKey.class);
    static final DotName BULKHEAD_WEIGHT = DotName.createSimple(BulkheadWeight.class);
    static final DotName BINDING = DotName.createSimple(RedisBulkheadBinding.class);

    static final DotName VOID = DotName.createSimple(Void.class);
    /** Types of methods that may return nothing in the end. */
    static final Set<DotName> ENDING_ONCE = Set.of(DotName.createSimple("io.smallrye.mutiny.Uni"),
            DotName.createSimple("java.util.concurrent.CompletionStage"),
            DotName.createSimple("java.util.concurrent.CompletableFuture"));
    static final DotName OBJECT = DotName.createSimple(Object.class);
    static final DotName DEFAULT = DotName.createSimple("jakarta.enterprise.inject.Default");
    static final DotName VETOED = DotName.createSimple("jakarta.enterprise.inject.Vetoed");
    static final DotName REDIS_CLIENT_NAME = DotName.createSimple(RedisClientName.class);
    static final DotName INJECT = DotName.createSimple("jakarta.inject.Inject");

    private Names() {
    }

    /** Whether it is the annotation or the container that the compiler writes for several of them. */
    static boolean isRedisBulkhead(DotName annotation) {
        return REDIS_BULKHEAD.equals(annotation) || REDIS_BULKHEAD_LIST.equals(annotation);
    }
}
