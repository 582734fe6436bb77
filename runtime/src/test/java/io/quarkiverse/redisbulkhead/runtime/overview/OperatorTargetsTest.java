package io.quarkiverse.redisbulkhead.runtime.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Uni;

class OperatorTargetsTest {

    static final Optional<String> NONE = Optional.empty();
    static final Optional<String> EMPTY = Optional.of("");

    final List<BulkheadState> others = new ArrayList<>();
    Optional<String> incomplete = Optional.empty();
    StoreException away;

    final OperatorTargets targets = new OperatorTargets(new Declared(),
            name -> new Declared().semaphore(SemaphoreSpec.named(name).permits(1).build()),
            Uni.createFrom().completionStage(this::snapshot));

    private CompletionStage<Snapshot> snapshot() {
        List<BulkheadState> all = new ArrayList<>(List.of(
                new BulkheadState("pages", true, true, List.of(), 0),
                new BulkheadState("reports", true, false, List.of(limit(NONE)), 0)));
        all.addAll(others);
        return away == null ? CompletableFuture.completedStage(new Snapshot(Instant.EPOCH, all, incomplete))
                : CompletableFuture.failedStage(away);
    }

    private void others(String name, LimitState... limits) {
        boolean keyed = List.of(limits).stream().anyMatch(limit -> limit.key().isPresent());
        others.add(new BulkheadState(name, false, keyed, List.of(limits), 0));
    }

    private static LimitState limit(Optional<String> key) {
        return limit(key, 1);
    }

    private static LimitState limit(Optional<String> key, int inUse) {
        return new LimitState(key, OptionalInt.of(5), false, new TreeSet<>(), inUse, 0, 0, List.of(), List.of());
    }

    @Test
    void declaredBulkheadIsFoundDuringAnOutage() {
        away = new StoreException("away", false, null);

        assertFound("reports", NONE);
        assertFound("pages", Optional.of("a"));
        assertFound("pages", EMPTY);
        assertThatThrownBy(() -> targets.limit("report", NONE).await().indefinitely()).isSameAs(away);
    }

    @Test
    void bulkheadOfAnotherApplicationIsFound() {
        others("one", limit(NONE));
        others("each", limit(Optional.of("a")));
        others("both", limit(NONE), limit(Optional.of("a")));

        assertFound("one", NONE);
        assertFound("each", Optional.of("b"));
        assertFound("both", NONE);
        assertFound("both", Optional.of("a"));
    }

    /** A bulkhead defined in code: only in use does it show whether it has keys. */
    @Test
    void idleBulkheadIsFoundWithAndWithoutAKey() {
        others("idle", limit(NONE, 0));

        assertFound("idle", NONE);
        assertFound("idle", Optional.of("a"));
    }

    @Test
    void undeclaredAndUnusedBulkheadIsUnknown() {
        assertWrong(Kind.UNKNOWN, "report", NONE).isEqualTo("There is no bulkhead 'report': this application does not declare"
                + " it, and no application uses it. Did you mean 'reports'?");
        assertWrong(Kind.UNKNOWN, "else", EMPTY).endsWith("and no application uses it.");
        assertThatThrownBy(() -> OperatorTargets.in(snapshot().toCompletableFuture().join(), "report"))
                .isInstanceOf(WrongTargetException.class);
    }

    @Test
    void incompleteSnapshotDoesNotClaimABulkheadIsUnused() {
        incomplete = Optional.of("the Redis user may not SCAN");

        assertWrong(Kind.UNKNOWN, "else", NONE).doesNotContain("no application uses it")
                .endsWith("whether others use it is not known: the Redis user may not SCAN.");
    }

    @Test
    void locksCannotBeChanged() {
        others("lock:orders", limit(NONE));

        assertWrong(Kind.LOCK, "lock:orders", NONE).contains("belongs to a lock");
        assertWrong(Kind.LOCK, "lock:unused", NONE);
    }

    @Test
    void bulkheadWithKeysNeedsAKey() {
        others("each", limit(Optional.of("a")));

        assertWrong(Kind.KEY_MISSING, "pages", NONE).contains("has one limit for each key");
        assertWrong(Kind.KEY_MISSING, "each", NONE);
    }

    @Test
    void bulkheadWithoutKeysRefusesAKey() {
        others("one", limit(NONE));

        assertWrong(Kind.KEY_NEEDLESS, "reports", Optional.of("a")).contains("has one limit for all calls");
        assertWrong(Kind.KEY_NEEDLESS, "reports", EMPTY);
        assertWrong(Kind.KEY_NEEDLESS, "one", Optional.of("a"));
    }

    private void assertFound(String name, Optional<String> key) {
        RedisSemaphore limit = targets.limit(name, key).await().indefinitely();
        assertThat(limit.spec().name()).isEqualTo(name);
        assertThat(limit.key()).isEqualTo(key);
    }

    private AbstractStringAssert<?> assertWrong(Kind kind, String name, Optional<String> key) {
        return assertThatThrownBy(() -> targets.limit(name, key).await().indefinitely())
                .asInstanceOf(type(WrongTargetException.class))
                .satisfies(wrong -> assertThat(wrong.kind()).isEqualTo(kind))
                .extracting(WrongTargetException::getMessage).asString();
    }

    /** Declares {@code reports}, and {@code pages} with keys. */
    private static final class Declared implements RedisBulkheads {

        @Override
        public Set<String> names() {
            return Set.of("reports", "pages");
        }

        @Override
        public RedisSemaphore semaphore(String name) {
            return semaphore(SemaphoreSpec.named(name).permits(5).build());
        }

        @Override
        public RedisSemaphore semaphore(SemaphoreSpec spec) {
            return semaphore(spec, NONE);
        }

        private static RedisSemaphore semaphore(SemaphoreSpec spec, Optional<String> key) {
            return (RedisSemaphore) Proxy.newProxyInstance(RedisSemaphore.class.getClassLoader(),
                    new Class<?>[] { RedisSemaphore.class }, (self, method, arguments) -> switch (method.getName()) {
                        case "spec" -> spec;
                        case "key" -> key;
                        case "needsKey" -> spec.name().equals("pages") && key.isEmpty();
                        case "forKey" -> semaphore(spec, Optional.of((String) arguments[0]));
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }

        @Override
        public RedisLock lock(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisLock lock(LockSpec spec) {
            throw new UnsupportedOperationException();
        }
    }
}
