package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** The loss of a permit during an execution is reported, and ends the execution with {@code on-lost=interrupt}. */
@QuarkusTest
class LossTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;

    @BeforeEach
    void forget() {
        losses.synchronous.clear();
        losses.asynchronous.clear();
    }

    /** Trap 16: the loss is reported, and the caller still gets the method's own result. */
    @Test
    void reportsTheLossAndContinuesTheExecution() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Permit> own = new CompletableFuture<>();
        Caller<String> caller = Caller.of(() -> guarded.lenient(own, end));
        Permit permit = own.get(30, TimeUnit.SECONDS);
        assertThat(permit.isHeld()).isTrue();

        Holder revoked = revoke("loss-lenient");

        PermitLost loss = awaitLoss();
        assertThat(loss.bulkhead()).isEqualTo("loss-lenient");
        assertThat(loss.method()).isEqualTo("Guarded#lenient");
        assertThat(loss.permitId()).isEqualTo(revoked.permitId()).isEqualTo(permit.id());
        assertThat(loss.fencingToken()).isEqualTo(revoked.ticket()).isEqualTo(permit.fencingToken());
        assertThat(loss.reason()).isIn(Reason.REVOKED, Reason.GONE);
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.release()).isFalse();
        assertThat(caller.isDone()).isFalse();

        end.countDown();
        assertThat(caller.result()).isEqualTo("done");
        assertThat(losses.synchronous).as("reported once").hasSize(1);
        assertThat(losses.asynchronous).hasSize(1);
    }

    @Test
    void interruptsABlockingMethod() throws Exception {
        Caller<String> caller = Caller.of(() -> guarded.strict(() -> {
            new CountDownLatch(1).await();
            return "never";
        }));
        revoke("loss-strict");

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        assertThat(caller.interruptedAfterwards()).isFalse();
        awaitLoss();
    }

    @ParameterizedTest
    @ValueSource(strings = { "Uni", "Stage", "Multi" })
    void failsTheResultAndCancelsItsSource(String kind) throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        Uni<String> source = Uni.createFrom().completionStage(work);
        CompletableFuture<String> result = switch (kind) {
            case "Uni" -> guarded.strictUni(source).subscribeAsCompletionStage();
            case "Stage" -> guarded.strictStage(work).toCompletableFuture();
            default -> guarded.strictMulti(source.toMulti()).toUni().subscribeAsCompletionStage();
        };
        Holder revoked = revoke("loss-strict");

        assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(PermitLostException.class)
                .satisfies(failure -> assertThat(((PermitLostException) failure.getCause()).loss()).satisfies(loss -> {
                    assertThat(loss.permitId()).isEqualTo(revoked.permitId());
                    assertThat(loss.bulkhead()).isEqualTo("loss-strict");
                    assertThat(loss.method()).isEqualTo("Guarded#strict" + kind);
                }));
        assertThat(work).as("the source").isCancelled();
        awaitLoss();
    }

    private Holder revoke(String bulkhead) {
        RedisSemaphore semaphore = bulkheads.semaphore(bulkhead);
        eventually(() -> assertThat(semaphore.holders()).hasSize(1));
        Holder holder = semaphore.holders().get(0);
        assertThat(semaphore.revoke(holder.permitId())).isTrue();
        return holder;
    }

    /** Both kinds of observers received the same event. */
    private PermitLost awaitLoss() {
        eventually(() -> assertThat(losses.synchronous).hasSize(1).isEqualTo(losses.asynchronous));
        return losses.synchronous.get(0);
    }

    @ApplicationScoped
    public static class Guarded {
        @Inject
        CurrentPermit permit;

        @RedisBulkhead(name = "loss-lenient", permits = 1)
        String lenient(CompletableFuture<Permit> own, CountDownLatch end) throws InterruptedException {
            own.complete(permit.get());
            end.await();
            return "done";
        }

        @RedisBulkhead(name = "loss-strict", permits = 1)
        String strict(Callable<String> body) throws Exception {
            return body.call();
        }

        @RedisBulkhead(name = "loss-strict", permits = 1)
        Uni<String> strictUni(Uni<String> work) {
            return work;
        }

        @RedisBulkhead(name = "loss-strict", permits = 1)
        CompletionStage<String> strictStage(CompletableFuture<String> work) {
            return work;
        }

        @RedisBulkhead(name = "loss-strict", permits = 1)
        Multi<String> strictMulti(Multi<String> work) {
            return work;
        }
    }
}
