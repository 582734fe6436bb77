package org.acme.migrating;

import java.util.concurrent.TimeUnit;

import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** Before: a semaphore of Redisson. Compiled, but not run: it needs Redisson's client. */
public class RedissonConversions {

    // tag::guarded[]
    private final RPermitExpirableSemaphore semaphore;

    RedissonConversions(RedissonClient redisson) {
        semaphore = redisson.getPermitExpirableSemaphore("conversions");
        semaphore.trySetPermits(4);
    }

    public String convert(String video) throws InterruptedException {
        String permit = semaphore.tryAcquire(5, 60, TimeUnit.SECONDS);
        if (permit == null) {
            throw new IllegalStateException("Too many conversions");
        }
        try {
            return encode(video);
        } finally {
            semaphore.release(permit);
        }
    }
    // end::guarded[]

    private static String encode(String video) {
        return video + ".webm";
    }
}
