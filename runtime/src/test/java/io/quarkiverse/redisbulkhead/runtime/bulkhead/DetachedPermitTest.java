package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;

/** Permits that one instance detaches and another attaches. */
class DetachedPermitTest extends TwoInstances {

    private HeldPermit hold() {
        return held(call(one, work(1)));
    }

    private static String detached(HeldPermit permit) {
        CompletableFuture<String> token = permit.detach().toCompletableFuture();
        assertThat(token).isCompleted();
        return token.join();
    }

    private static CompletionStage<HeldPermit> attach(SimulatedInstance at, String token) {
        return at.engine.attach(work(1), token, "n");
    }

    private static HeldPermit attached(SimulatedInstance at, String token) {
        CompletableFuture<HeldPermit> permit = attach(at, token).toCompletableFuture();
        assertThat(permit).isCompleted();
        return permit.join();
    }

    /** A token as an application would receive it in a message. */
    private static String token() {
        return "abc-1." + "0".repeat(32);
    }

    // ---- Detaching

    @Test
    void detachedPermitIsNotRenewedReleasedOrLost() {
        Admission admission = call(one, work(1));
        HeldPermit permit = held(admission);
        slowly(1_000);
        CompletableFuture<String> token = permit.detach().toCompletableFuture();
        assertThat(permit.isHeld()).as("until the store has replied").isTrue();
        advance(Duration.ofMillis(5));
        server.calm();

        assertThat(token).isCompleted();
        assertThat(look().holds()).singleElement().satisfies(held -> assertThat(token.join())
                .as("the store does not know the secret").doesNotContain(held.digest()));
        assertThat(permit.isHeld()).isFalse();
        admission.end();
        assertThat(permit.release().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(failure(permit.detach())).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("cannot be detached, because it was released, detached or lost");
        one.engine.refuseAndRejectWaiters();
        assertThat(one.engine.releaseAll().toCompletableFuture()).isCompleted();
        assertThat(look().granted()).isEqualTo(1);
        advance(Duration.ofSeconds(7));
        assertThat(look().granted()).as("after its lease").isZero();
        assertThat(one.losses).isEmpty();
    }

    /** Trap 47: what is detached does not belong to this instance any more, so a reconnect does not free it. */
    @Test
    void reconnectKeepsDetachedAndAttachedPermits() {
        String token = detached(hold());
        one.engine.reconnected();
        assertThat(look().granted()).isEqualTo(1);

        HeldPermit permit = attached(two, token);
        two.engine.reconnected();
        one.engine.reconnected();

        assertThat(permit.isHeld()).isTrue();
        advance(Duration.ofSeconds(20));
        assertThat(permit.isHeld()).isTrue();
        assertThat(look().granted()).isEqualTo(1);
    }

    @Test
    void failedDetachCanBeRepeated() {
        HeldPermit permit = hold();
        one.refusal = away();
        assertThat(failure(permit.detach())).isInstanceOf(BulkheadUnavailableException.class);
        one.refusal = null;

        CompletableFuture<String> again = permit.detach().toCompletableFuture();
        advance(Duration.ofSeconds(1));

        assertThat(again).isCompleted();
        String token = again.join();
        assertThat(permit.isHeld()).isFalse();
        assertThat(attached(two, token).isHeld()).isTrue();
        assertThat(look().granted()).isEqualTo(1);
    }

    /** Otherwise its token would attach nothing, and no loss would be reported. */
    @Test
    void permitThatWasGrantedAgainAfterALossOfDataIsNotDetached() {
        HeldPermit permit = hold();
        server.loseData();
        HeldPermit other = held(call(two, work(1)));

        assertThat(failure(permit.detach())).isInstanceOf(PermitGoneException.class);

        assertThat(one.losses).containsOnlyKeys(permit.id());
        assertThat(permit.isHeld()).isFalse();
        assertThat(other.isHeld()).isTrue();
        assertThat(look().granted()).isEqualTo(1);
    }

    /** No caller received the token. */
    @Test
    void permitThatIsTakenBackIsHeldAsBefore() {
        Admission admission = call(one, work(1));
        HeldPermit permit = held(admission);
        long fencingToken = permit.fencingToken();
        detached(permit);

        permit.takeBack();

        assertThat(permit.isHeld()).isTrue();
        assertThat(permit.fencingToken()).isEqualTo(fencingToken);
        advance(Duration.ofSeconds(20));
        assertThat(permit.isHeld()).as("renewed").isTrue();
        detached(permit);
        permit.takeBack();
        admission.end();
        assertThat(look().granted()).isZero();
    }

    @Test
    void permitThatWasReleasedWhileDetachedIsReleasedWhenItIsTakenBack() {
        Admission admission = call(one, work(1));
        HeldPermit permit = held(admission);
        detached(permit);
        admission.end();
        assertThat(look().granted()).isEqualTo(1);

        permit.takeBack();

        assertThat(permit.isHeld()).isFalse();
        assertThat(look().granted()).isZero();
    }

    @Test
    void releaseDuringDetachWins() {
        Admission admission = call(one, work(1));
        HeldPermit permit = held(admission);
        slowly(1_000);
        CompletionStage<String> token = permit.detach();
        admission.end();
        advance(Duration.ofMillis(50));
        server.calm();

        assertThat(failure(token)).isInstanceOf(PermitGoneException.class);
        assertThat(look().granted()).isZero();
    }

    /** The secret of the second detach would replace that of the first. */
    @Test
    void concurrentDetachIsRefused() {
        HeldPermit permit = hold();
        slowly(1_000);
        CompletableFuture<String> first = permit.detach().toCompletableFuture();

        assertThat(failure(permit.detach())).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("is being detached already");

        advance(Duration.ofMillis(5));
        assertThat(first).isCompleted();
    }

    /** Another instance could not attach them. */
    @Test
    void permitsGrantedWithoutRedisCannotBeDetached() {
        one.refusal = away();
        for (OnOutage policy : new OnOutage[] { OnOutage.ALLOW, OnOutage.LOCAL }) {
            HeldPermit permit = held(call(one, work(1, spec -> spec.onOutage(policy))));
            assertThat(failure(permit.detach())).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("granted without Redis");
            permit.release();
        }
        assertThat(failure(new UncountedPermit(WORK, null).detach()))
                .isInstanceOf(IllegalStateException.class);
    }

    // ---- Attaching

    @Test
    void attachOfAGonePermitFails() {
        assertThat(failure(attach(one, token()))).isInstanceOf(PermitGoneException.class)
                .hasMessage("The detached permit abc-1 is no longer in bulkhead 'work': its lease has ended, it was already "
                        + "attached, or it was revoked. Attach it once, within one lease (PT6S), and to the bulkhead, key or "
                        + "lock from which it was detached");
        assertThat(look().granted()).isZero();
    }

    /** Of the same instance, or of two. */
    @Test
    void oneOfSeveralAttachesSucceeds() {
        String token = detached(hold());
        slowly(1_000);
        CompletionStage<HeldPermit> first = attach(one, token);
        CompletionStage<HeldPermit> second = attach(two, token);

        assertThat(failure(attach(one, token))).as("in flight").isInstanceOf(PermitGoneException.class);
        advance(Duration.ofMillis(50));
        assertThat(failure(attach(one, token))).as("held").isInstanceOf(PermitGoneException.class);

        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(failure(second)).isInstanceOf(PermitGoneException.class);
        server.calm();
        assertThat(look().granted()).isEqualTo(1);
    }

    /** Trap 4: the store has attached it, and tells so again. */
    @Test
    void lostAnswerAttachesOnce() {
        SemaphoreDefinition work = work(3, spec -> spec.keepIdle(Duration.ZERO));
        String token = detached(held(call(one, work)));
        held(call(two, work));
        server.lostAnswers = 1;
        CompletableFuture<HeldPermit> permit = two.engine.attach(work, token, "n").toCompletableFuture();
        server.lostAnswers = 0;
        advance(Duration.ofSeconds(2));

        assertThat(permit).isCompleted();
        assertThat(permit.join().isHeld()).isTrue();
        assertThat(permit.join().fencingToken()).as("the tokens of the lost answer are lost").isPositive();
        assertThat(look().granted()).isEqualTo(2);
        permit.join().release();
        assertThat(look().granted()).isEqualTo(1);
    }

    @Test
    void maxHoldCountsFromTheFirstGrant() {
        SemaphoreDefinition bounded = work(1, spec -> spec.maxHold(Duration.ofSeconds(4)));
        HeldPermit first = held(call(one, bounded));
        advance(Duration.ofSeconds(3));
        HeldPermit permit = two.engine.attach(bounded, detached(first), "n").toCompletableFuture().join();

        advance(Duration.ofMillis(990));
        assertThat(permit.isHeld()).isTrue();
        advance(Duration.ofMillis(20));

        assertThat(permit.isHeld()).isFalse();
        assertThat(two.losses.values()).extracting(PermitLost::reason).containsExactly(Reason.MAX_HOLD);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "", ".", "abc", "abc-1.0", "abc-1.0000000000000000000000000000000G",
            "a b.00000000000000000000000000000000" })
    void invalidTokenIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> attach(one, text))
                .withMessageStartingWith("token must be what Permit.detach() returned");
    }

    /** Tokens are secrets: exception messages and logs must not contain them. */
    @Test
    void refusedTokenIsNotInTheMessage() {
        assertThatIllegalArgumentException().isThrownBy(() -> attach(one, token() + "0"))
                .withMessageNotContaining("abc").withMessageContaining("39 characters");
        assertThat(DetachedPermit.parse(token()).toString()).doesNotContain("0000");
    }

    @Test
    void attachIsRefusedDuringShutdown() {
        one.engine.refuseAndRejectWaiters();

        assertThat(failure(attach(one, token()))).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(one.statements).isZero();
    }
}
