package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Set;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** The names of types that more than one class uses. */
public final class Names {

    static final DotName REDIS_BULKHEAD = DotName.createSimple(RedisBulkhead.class);

    /** The annotation, and the container that the compiler writes for several of them. */
    public static final Set<DotName> REDIS_BULKHEADS = Set.of(REDIS_BULKHEAD, DotName.createSimple(RedisBulkhead.List.class));

    /** The annotation of a parameter that is a key. */
    public static final DotName BULKHEAD_KEY = DotName.createSimple(BulkheadKey.class);

    /** The annotation of scheduled methods. */
    public static final DotName SCHEDULED = DotName.createSimple("io.quarkus.scheduler.Scheduled");

    /** The container of several schedules. */
    public static final DotName SCHEDULES = DotName.createSimple("io.quarkus.scheduler.Scheduled$Schedules");

    /** The last parameter of a Kotlin {@code suspend} function. */
    public static final DotName CONTINUATION = DotName.createSimple("kotlin.coroutines.Continuation");

    private Names() {
    }
}
