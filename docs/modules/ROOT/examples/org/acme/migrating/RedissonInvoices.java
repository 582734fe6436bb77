package org.acme.migrating;

import java.util.concurrent.TimeUnit;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Before: a lock of Redisson. Compiled, but not run: it needs Redisson's client. */
public class RedissonInvoices {

    private final RedissonClient redisson;
    private int sent;

    RedissonInvoices(RedissonClient redisson) {
        this.redisson = redisson;
    }

    // tag::lock[]
    public boolean send(String invoice) throws InterruptedException {
        RLock lock = redisson.getLock("invoice-" + invoice);
        if (!lock.tryLock(2, TimeUnit.SECONDS)) {
            return false;
        }
        try {
            mail(invoice);
            return true;
        } finally {
            lock.unlock();
        }
    }
    // end::lock[]

    private void mail(String invoice) {
        sent += invoice.length();
    }
}
