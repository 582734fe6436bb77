package io.quarkiverse.redisbulkhead.test;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;

/** A bulkhead in memory, whose waiters and failures a test sets. Thread-safe. */
final class FakeSemaphore {

    private static final String APPLICATION = "shop";
    private static final String INSTANCE = "host:1";

    private final Map<String, Holder> holders = new LinkedHashMap<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private SemaphoreSpec spec;
    private Optional<String> key = Optional.empty();
    private boolean needsKey;
    private boolean counted = true;
    private int ids;
    private Supplier<RuntimeException> failure = () -> null;
    private Runnable beforeReply = () -> {
    };

    FakeSemaphore(int permits) {
        spec = SemaphoreSpec.named("reports").permits(permits).build();
    }

    synchronized FakeSemaphore key(String key) {
        this.key = Optional.of(key);
        return this;
    }

    synchronized FakeSemaphore needsKey() {
        needsKey = true;
        return this;
    }

    synchronized FakeSemaphore minHold(Duration minHold) {
        spec = spec.toBuilder().minHold(minHold).build();
        return this;
    }

    synchronized FakeSemaphore uncounted() {
        counted = false;
        return this;
    }

    /** The failure of each query; null for none. */
    synchronized void failWith(Supplier<RuntimeException> failure) {
        this.failure = failure;
    }

    /** Runs before each reply about the state. */
    synchronized void beforeReply(Runnable action) {
        beforeReply = action;
    }

    /** Another caller acquires a permit. */
    synchronized String held(String method) {
        return held(method, 1);
    }

    /** Another caller acquires a permit of that weight. */
    synchronized String held(String method, int weight) {
        String id = "p" + ++ids;
        holders.put(id, new Holder(id, spec.name(), key, ids, weight, APPLICATION, INSTANCE, method, Instant.EPOCH,
                Instant.EPOCH.plusSeconds(30), Holder.State.HELD));
        return id;
    }

    /** A caller starts to wait, and gets the next permit. */
    synchronized void waits(String method) {
        String id = "w" + ++ids;
        waiters.add(new Waiter(id, spec.name(), key, ids, 1, APPLICATION, INSTANCE, method, Instant.EPOCH, Instant.EPOCH));
    }

    synchronized List<String> holderIds() {
        return List.copyOf(holders.keySet());
    }

    synchronized boolean remove(String id) {
        boolean removed = holders.remove(id) != null;
        while (!waiters.isEmpty() && inUse() < spec.permits()) {
            held(waiters.remove(0).method());
        }
        return removed;
    }

    private synchronized boolean release(String id) {
        Holder held = holders.get(id);
        if (held != null && !spec.minHold().isZero()) {
            String released = id + ".released";
            holders.put(released,
                    new Holder(released, spec.name(), key, held.ticket(), held.weight(), APPLICATION, INSTANCE, held.method(),
                            Instant.EPOCH, Instant.EPOCH.plus(spec.minHold()), Holder.State.RELEASED));
        }
        return remove(id);
    }

    private int inUse() {
        return holders.values().stream().mapToInt(Holder::weight).sum();
    }

    RedisSemaphore asSemaphore() {
        return (RedisSemaphore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { RedisSemaphore.class },
                (proxy, method, arguments) -> answer(method.getName(), arguments));
    }

    private synchronized Object answer(String method, Object[] arguments) {
        return switch (method) {
            case "spec" -> spec;
            case "key" -> key;
            case "needsKey" -> needsKey;
            default -> query(method, arguments);
        };
    }

    private Object query(String method, Object[] arguments) {
        RuntimeException now = failure.get();
        if (now != null) {
            throw now;
        }
        return switch (method) {
            case "tryAcquire" -> tryAcquire((int) arguments[0]);
            case "status" -> status();
            case "holders" -> List.copyOf(holders.values());
            case "waiters" -> List.copyOf(waiters);
            case "revoke" -> remove((String) arguments[0]);
            case "resetSize" -> false;
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private Optional<Permit> tryAcquire(int weight) {
        if (weight != 1) {
            throw new UnsupportedOperationException("weight " + weight);
        }
        if (!counted) {
            return Optional.of(permit("", 0));
        }
        if (inUse() >= spec.permits() || !waiters.isEmpty()) {
            return Optional.empty();
        }
        String id = held("TestBulkhead#fill");
        return Optional.of(permit(id, ids));
    }

    private SemaphoreStatus status() {
        beforeReply.run();
        return new SemaphoreStatus(spec.name(), key, spec.permits(), inUse(), waiters.size(), false,
                new TreeSet<>());
    }

    private Permit permit(String id, long token) {
        return (Permit) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Permit.class },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "id" -> id;
                    case "fencingToken" -> token;
                    case "isHeld" -> holderIds().contains(id);
                    case "release" -> release(id);
                    case "hashCode" -> id.hashCode();
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
