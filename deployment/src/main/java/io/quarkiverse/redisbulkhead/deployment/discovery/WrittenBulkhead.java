package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;

/**
 * One {@link RedisBulkhead} annotation, not yet validated.
 *
 * @param name the bulkhead
 * @param permits the limit, or {@link RedisBulkhead#PERMITS_UNSET}
 * @param weight how much of the limit a call takes
 * @param fair whether permits go to callers in the order of their requests; null if it is not stated
 * @param expire the lease; null if it is not stated
 * @param maxWait how long a call waits for a permit; null if it is not stated
 * @param keyResolver the class of the bean that resolves the keys, if any
 */
public record WrittenBulkhead(String name, int permits, int weight, Boolean fair, String expire, String maxWait,
        Optional<DotName> keyResolver) {

    /**
     * Reads those among the annotations of one class or method.
     *
     * @param annotations any
     * @return in the order written
     */
    public static List<WrittenBulkhead> among(Collection<AnnotationInstance> annotations) {
        List<WrittenBulkhead> found = new ArrayList<>();
        for (AnnotationInstance annotation : annotations) {
            if (Names.REDIS_BULKHEAD.equals(annotation.name())) {
                found.add(of(annotation));
            } else if (Names.REDIS_BULKHEAD_LIST.equals(annotation.name())) {
                for (AnnotationInstance nested : annotation.value().asNestedArray()) {
                    found.add(of(nested));
                }
            }
        }
        return List.copyOf(found);
    }

    private static WrittenBulkhead of(AnnotationInstance annotation) {
        return new WrittenBulkhead(annotation.value("name").asString(),
                value(annotation, "permits", AnnotationValue::asInt).orElse(RedisBulkhead.PERMITS_UNSET),
                value(annotation, "weight", AnnotationValue::asInt).orElse(1),
                value(annotation, "fair", AnnotationValue::asBoolean).orElse(null),
                value(annotation, "expire", AnnotationValue::asString).orElse(null),
                value(annotation, "maxWait", AnnotationValue::asString).orElse(null),
                value(annotation, "keyResolver", value -> value.asClass().name()));
    }

    private static <T> Optional<T> value(AnnotationInstance annotation, String member, Function<AnnotationValue, T> read) {
        return Optional.ofNullable(annotation.value(member)).map(read);
    }

    /** This bulkhead as the application records it for the start. */
    BulkheadDeclaration declaredAt(String place) {
        return new BulkheadDeclaration(place, name, permits, weight, fair, expire, maxWait);
    }
}
