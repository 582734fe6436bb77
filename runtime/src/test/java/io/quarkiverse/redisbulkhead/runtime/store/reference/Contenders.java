package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.reference.BasicSemaphore;
import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;
import io.quarkiverse.redisbulkhead.runtime.store.reference.EngineContender.Running;

/** The compared semaphores, by their names in reports and process arguments. */
final class Contenders {

    static final String BASIC = "basic";
    static final String FAIR = "fair";
    static final String BOOK_LOCKED = "book-locked";
    static final String SCRIPT = "script";
    static final String LOCK = "lock";
    static final String LOCAL = "local";

    private Contenders() {
    }

    static Contender of(String kind, TestRedis redis, SemaphoreSpec spec) {
        return switch (kind) {
            case BASIC -> new ReferenceContender(kind, redis, spec, BasicSemaphore::new);
            case FAIR -> new ReferenceContender(kind, redis, spec, FairSemaphore::new);
            case BOOK_LOCKED -> new ReferenceContender(kind, redis, spec, LockedSemaphore::new);
            case SCRIPT -> new EngineContender(kind, spec, () -> running(new TestProcess(redis, TestStore.SCRIPT)));
            case LOCK -> new EngineContender(kind, spec, () -> running(new TestProcess(redis, TestStore.LOCK)));
            case LOCAL -> local(kind, spec);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Running running(TestProcess process) {
        return new Running(process.engine, process::close);
    }

    /** A local store cannot be shared between processes, so all members share an engine. */
    private static Contender local(String kind, SemaphoreSpec spec) {
        Engine engine = new Engine("local", new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
        }, new WaiterLimits(Integer.MAX_VALUE));
        return new EngineContender(kind, spec, () -> new Running(engine, engine::close));
    }
}
