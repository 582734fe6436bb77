package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/**
 * One {@link RedisBulkhead} as it is written, not yet checked.
 *
 * @param name the bulkhead
 * @param permits the limit, or {@link RedisBulkhead#PERMITS_UNSET}
 * @param fair whether permits go to callers in the order of their requests
 * @param expire the lease
 * @param maxWait how long a call waits for a permit
 */
public record WrittenBulkhead(String name, int permits, boolean fair, String expire, String maxWait) {

    /** Reads those among the annotations of one class or method, in the order written. */
    static List<WrittenBulkhead> among(Collection<AnnotationInstance> annotations) {
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
        AnnotationValue permits = annotation.value("permits");
        AnnotationValue fair = annotation.value("fair");
        AnnotationValue expire = annotation.value("expire");
        AnnotationValue maxWait = annotation.value("maxWait");
        return new WrittenBulkhead(annotation.value("name").asString(),
                permits == null ? RedisBulkhead.PERMITS_UNSET : permits.asInt(),
                fair != null && fair.asBoolean(),
                expire == null ? RedisBulkhead.DEFAULT_EXPIRE : expire.asString(),
                maxWait == null ? RedisBulkhead.DEFAULT_MAX_WAIT : maxWait.asString());
    }

    /**
     * Whether the annotation says how many permits there are.
     *
     * @return false when that is left to other places
     */
    public boolean statesPermits() {
        return permits != RedisBulkhead.PERMITS_UNSET;
    }
}
