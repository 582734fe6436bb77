package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Guarded methods and code detach permits, and code attaches them. */
@QuarkusTest
class DetachTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;

    @Test
    void guardedMethodDoesNotReleaseADetachedPermit() {
        assertHandedOver(guarded.detach());
        assertHandedOver(get(guarded.detachLater()));
    }

    private void assertHandedOver(String token) {
        RedisSemaphore reports = bulkheads.semaphore("detach-reports");
        Holder detached = reports.holders().get(0);
        assertThat(detached.state()).isEqualTo(Holder.State.DETACHED);
        assertThat(reports.tryAcquire()).isEmpty();

        try (Permit permit = reports.attach(token)) {
            assertThat(permit.refresh()).isTrue();
            assertThat(permit.fencingToken()).isGreaterThan(detached.ticket());
            assertThat(permit.id()).isNotEqualTo(detached.permitId());
            assertThat(reports.holders()).extracting(Holder::permitId, Holder::state)
                    .containsExactly(tuple(permit.id(), Holder.State.HELD));
        }
        assertThat(reports.holders()).isEmpty();
        assertThatThrownBy(() -> reports.attach(token)).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("was already attached");
        assertThatThrownBy(() -> get(reports.attachAsync(token))).isInstanceOf(PermitGoneException.class);
    }

    @Test
    void handsOverALock() {
        RedisLock lock = bulkheads.lock("orders");
        Permit owned = lock.lock();
        String token = get(owned.detachAsync());
        assertThat(owned.isHeld()).isFalse();
        assertThat(owned.release()).isFalse();
        assertThat(lock.tryLock()).isEmpty();
        assertThatThrownBy(() -> bulkheads.lock("invoices").attach(token)).isInstanceOf(PermitGoneException.class);

        Permit attached = get(lock.attachAsync(token));

        assertThat(attached.fencingToken()).isGreaterThan(owned.fencingToken());
        assertThat(attached.release()).isTrue();
        assertThat(lock.owner()).isEmpty();
    }

    @Test
    void attachesAPermitToItsKey() {
        RedisSemaphore pages = bulkheads.semaphore(SemaphoreSpec.named("pages").permits(1).build());
        String token = pages.forKey("a").tryAcquire().orElseThrow().detach();

        assertThatThrownBy(() -> pages.forKey("b").attach(token)).isInstanceOf(PermitGoneException.class);
        assertThat(pages.forKey("a").attach(token).release()).isTrue();
    }

    @Test
    void rejectsInvalidTokens() {
        assertThatIllegalArgumentException().isThrownBy(() -> bulkheads.lock("orders").attach("orders"));
        assertThatIllegalArgumentException().isThrownBy(() -> bulkheads.lock("orders").attachAsync(null));
    }

    @ApplicationScoped
    static class Guarded {

        @Inject
        CurrentPermit current;

        @RedisBulkhead(name = "detach-reports", permits = 1)
        String detach() {
            return current.get().detach();
        }

        @RedisBulkhead(name = "detach-reports", permits = 1)
        Uni<String> detachLater() {
            return current.get().detachAsync();
        }
    }
}
