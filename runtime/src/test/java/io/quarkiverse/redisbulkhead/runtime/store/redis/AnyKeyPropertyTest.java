package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** For any name and key, a bulkhead has exactly one holder while a permit is held. */
class AnyKeyPropertyTest {

    private static final String MEGABYTES = "k".repeat(3_000_000);

    static TestRedis redis;

    @BeforeContainer
    static void start() {
        redis = new TestRedis();
    }

    @AfterContainer
    static void stop() {
        redis.close();
    }

    @Provide
    Arbitrary<String> keys() {
        return HostileTexts.any();
    }

    @Provide
    Arbitrary<String> names() {
        return HostileTexts.names();
    }

    /** Neighboring names and keys have no holders and waiters in common. */
    @Property(tries = 100)
    void anyNameAndKeyHasOneHolder(@ForAll TestStore kind, @ForAll("names") String name, @ForAll("keys") String key,
            @ForAll boolean fair) throws Exception {
        try (TestProcess process = new TestProcess(redis, kind)) {
            holdAndRelease(process, name, key, fair);
        }
    }

    @Property(tries = 2)
    void keyOfMegabytesWorks(@ForAll TestStore kind) throws Exception {
        try (TestProcess process = new TestProcess(redis, kind)) {
            holdAndRelease(process, "big", MEGABYTES, true);
        }
    }

    private static void holdAndRelease(TestProcess process, String name, String key, boolean fair) throws Exception {
        Semaphore all = process
                .semaphore(SemaphoreSpec.named(name).permits(1).fair(fair).maxWait(Duration.ofMinutes(1))
                        // So that a read on another connection does not overtake the release.
                        .awaitRelease(true).build());
        Semaphore one = all.forKey(key, OptionalInt.empty());
        Admission first = one.admit("A\n#a");
        HeldPermit held = get(first.granted()).get(0);
        assertThat(get(one.holders())).singleElement().satisfies(holder -> {
            assertThat(holder.permitId()).isEqualTo(held.id());
            assertThat(holder.bulkhead()).isEqualTo(name);
            assertThat(holder.key()).contains(key);
            assertThat(holder.method()).isEqualTo("A\n#a");
        });
        for (Semaphore other : List.of(all, all.forKey(key + "x", OptionalInt.empty()),
                all.forKey("%:" + key, OptionalInt.empty()))) {
            assertThat(get(other.status()).inUse()).isZero();
        }

        Admission second = one.admit("A#b");
        get(second.attempted());
        // After a pause of this process, the waiter has no place until its next poll.
        await().pollDelay(Duration.ZERO).atMost(20, TimeUnit.SECONDS).until(() -> get(one.status()).waiting() == 1);
        get(first.end());
        get(second.granted());
        get(second.end());

        assertThat(get(one.status()).inUse()).isZero();
        assertThat(get(one.status()).waiting()).isZero();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
