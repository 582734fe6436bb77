package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.LocalShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** What an instance makes of answers and messages that a test writes one by one. */
class ShareSyncTest {

    private static final BulkheadId WORK = BulkheadId.of("work");
    private static final int LEASE_MILLIS = 6_000;
    private static final long EPOCH = 5;

    /** Remembers statements; the test answers them. */
    private static final class AnsweredStore extends ObservedShareStore {

        private final List<Statement> statements = new ArrayList<>();
        private final List<CompletableFuture<Position>> answers = new ArrayList<>();
        private Consumer<ShareMessage> messages;
        private final List<Runnable> ready = new ArrayList<>();
        private boolean isBusy;

        private AnsweredStore() {
            super(new LocalShareStore(System::nanoTime, false), (operation, time, failure) -> {
            });
        }

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public void whenReady(Runnable task) {
            ready.add(task);
            if (!isBusy) {
                becomeReady();
            }
        }

        void becomeReady() {
            List<Runnable> tasks = List.copyOf(ready);
            ready.clear();
            tasks.forEach(Runnable::run);
        }

        @Override
        public CompletionStage<Position> sync(Statement statement) {
            statements.add(statement);
            answers.add(new CompletableFuture<>());
            return answers.get(answers.size() - 1);
        }

        @Override
        public void listen(Consumer<ShareMessage> listener) {
            messages = listener;
        }
    }

    private final InMemoryShareStore time = new InMemoryShareStore(1);
    private final SimulatedInstance clock = new SimulatedInstance("clock", time);
    private final AnsweredStore store = new AnsweredStore();
    private final Engine engine = new Engine("one", store, null, clock.clock(), new HolderIdentity("app", "one"), clock,
            clock.limits, Duration.ofSeconds(1), () -> 1);

    private Admission call() {
        return call(Duration.ofMinutes(5));
    }

    private Admission call(Duration maxWait) {
        SemaphoreDefinition definition = SemaphoreDefinition.of(SemaphoreSpec.named("work").permits(3).fair(true)
                .expire(Duration.ofMillis(LEASE_MILLIS)).maxWait(maxWait).build());
        return new Semaphore(definition, engine, true, List.of()).admit("m");
    }

    private void passMillis(long millis) {
        time.advance(1_000 * millis);
    }

    private int last() {
        return store.statements.size() - 1;
    }

    /** Answers a statement of the only epoch, with a share if anything was granted. */
    private void answer(int statement, long granted, long ticket, boolean othersWait, long firstToken) {
        Statement stated = store.statements.get(statement);
        boolean hasShare = granted > stated.returned();
        store.answers.get(statement)
                .complete(new Position(stated.number(), EPOCH, granted, 0, 0, hasShare ? LEASE_MILLIS : 0, 3, ticket, 0,
                        othersWait, false, 0, 0, 0, 0, firstToken, firstToken == 0 ? 0 : 17, Map.of(), 0, "run"));
    }

    private void offer(int statement, long epoch, long granted, long served) {
        store.messages
                .accept(new ShareMessage.Granted(WORK, store.statements.get(statement).number(), epoch, granted, 0, served,
                        true, 1_000, 17));
    }

    private static HeldPermit held(Admission admission) {
        assertThat(admission.isHeldNow()).as("holds a permit").isTrue();
        return admission.heldNow().get(0);
    }

    @Test
    void whatHappensUntilTheStoreIsReadyIsStatedTogether() {
        Admission call = call();
        answer(0, 1, 10, false, 100);
        held(call);

        store.isBusy = true;
        call.end();
        call();
        assertThat(store.statements).hasSize(1);
        store.becomeReady();

        assertThat(store.statements).hasSize(2);
        assertThat(store.statements.get(1).returned()).isEqualTo(1);
        assertThat(store.statements.get(1).needs()).hasSize(1);
    }

    @Test
    void anOfferIsConfirmedByTheReturnThatFollows() {
        Admission call = call();
        answer(0, 0, 10, true, 0);
        offer(0, EPOCH, 1, 10);
        held(call);

        call.end();

        assertThat(store.statements).hasSize(2);
        assertThat(store.statements.get(1).returned()).isEqualTo(1);
    }

    @Test
    void anOfferThatIsInUseIsConfirmedSoon() {
        Admission call = call();
        answer(0, 0, 10, true, 0);
        offer(0, EPOCH, 1, 10);
        held(call);
        assertThat(store.statements).hasSize(1);

        passMillis(20);

        assertThat(store.statements).hasSize(2);
        assertThat(store.statements.get(1).granted()).isEqualTo(1);
        answer(1, 1, 0, true, 0);
        passMillis(ShareStore.OFFER_MILLIS);
        assertThat(held(call).isHeld()).isTrue();
    }

    @Test
    void permitsThatGoBackMakeRoomInAFullBulkhead() {
        Admission own = call(Duration.ZERO);
        answer(0, 1, 0, false, 100);
        held(own);
        call(Duration.ZERO);
        answerFull(1, 1);

        store.isBusy = true;
        own.end();
        Admission beforeTheReturn = call(Duration.ZERO);
        assertThat(beforeTheReturn.granted().toCompletableFuture()).isNotDone();
        store.becomeReady();
        Admission duringTheReturn = call(Duration.ZERO);

        assertThat(store.statements.get(2).returned()).isEqualTo(1);
        assertThat(duringTheReturn.granted().toCompletableFuture()).isNotDone();
    }

    private void answerFull(int statement, long granted) {
        store.answers.get(statement).complete(new Position(store.statements.get(statement).number(), EPOCH, granted, 0, 0,
                granted == 0 ? 0 : LEASE_MILLIS, 3, 0, 0, false, false, 0, ShareStore.FULL_MILLIS, 0, 0, 0, 0, Map.of(),
                0, "run"));
    }

    @Test
    void leaseBeginsWhenTheStatementIsSent() {
        Admission call = call();
        passMillis(1_500);
        answer(0, 1, 10, false, 100);
        HeldPermit permit = held(call);

        passMillis(LEASE_MILLIS - 1_500 - 1_000);
        assertThat(permit.isHeld()).isTrue();
        passMillis(1_000);

        assertThat(permit.isHeld()).isFalse();
    }

    @Test
    void offerOfAnotherEpochIsNotAccepted() {
        Admission call = call();
        answer(0, 0, 10, true, 0);

        offer(0, EPOCH - 1, 1, 10);
        assertThat(call.isHeldNow()).isFalse();

        offer(0, EPOCH, 1, 10);
        held(call);
    }

    /** Trap 11: the message overtakes the answer. Its epoch is not known yet, so the position is stated again. */
    @Test
    void offerBeforeTheAnswerIsNotForgotten() {
        Admission call = call();
        offer(0, EPOCH, 1, 10);
        assertThat(call.isHeldNow()).isFalse();

        answer(0, 0, 10, true, 0);
        assertThat(last()).isEqualTo(1);
        answer(1, 1, 0, false, 100);

        held(call);
    }

    /** Trap 7: another instance may have the permit already. */
    @Test
    void answerAfterItsLeaseGrantsNothing() {
        Admission call = call();
        passMillis(LEASE_MILLIS);

        answer(0, 1, 10, false, 100);

        assertThat(call.isHeldNow()).isFalse();
        assertThat(store.statements.get(last()).epoch()).as("a new position").isZero();
    }

    @Test
    void permitServesNobodyElseIfItMayNotBeKept() {
        Admission first = call();
        answer(0, 1, 10, false, 100);
        Admission second = call();
        answer(last(), 1, 20, false, 0);

        first.end();

        assertThat(second.isHeldNow()).isFalse();
        assertThat(store.statements.get(last()).returned()).isEqualTo(1);
        answer(last(), 2, 0, false, 200);
        held(second);
    }

    @Test
    void permitOfACallThatGaveUpServesNoLaterOne() {
        Admission first = call();
        answer(0, 0, 10, true, 0);
        Admission second = call();
        answer(last(), 0, 20, true, 0);
        int known = last();
        first.end();

        offer(known, EPOCH, 1, 10);
        assertThat(second.isHeldNow()).isFalse();

        answer(last(), 1, 0, true, 0);
        assertThat(second.isHeldNow()).isFalse();
        assertThat(store.statements.get(last()).returned()).isEqualTo(1);
    }

    @Test
    void answerToAnOlderStatementDoesNotCount() {
        Admission call = call();
        engine.reconnected();
        assertThat(last()).isEqualTo(1);

        answer(0, 1, 10, false, 100);
        assertThat(call.isHeldNow()).isFalse();

        answer(1, 1, 10, false, 200);
        assertThat(held(call).fencingToken()).isEqualTo(200);
    }

    /** Trap 4. No timer would end such a call. */
    @Test
    void callThatDoesNotWaitIsStatedAgainAfterAReconnection() {
        held(answered(call()));
        Admission inFlight = call(Duration.ZERO);
        assertThat(store.statements.get(last()).immediate()).hasSize(1);

        engine.reconnected();

        assertThat(store.statements.get(last()).immediate()).hasSize(1);
        answer(last(), 2, 0, false, 200);
        held(inFlight);
    }

    private Admission answered(Admission call) {
        answer(last(), 1, 10, false, 100);
        return call;
    }

    /** What the offer brings would hide that the answer, which may be lost, has brought the attached permit. */
    @Test
    void offerIsIgnoredWhileAPermitIsAttached() {
        Admission call = call();
        answer(0, 0, 10, true, 0);
        String token = DetachedPermit.of("two-1", new SecureRandom()).token();
        engine.attach(SemaphoreDefinition.of(SemaphoreSpec.named("work").permits(3).build()), token, "m");
        assertThat(store.statements.get(1).attaches()).hasSize(1);

        offer(1, EPOCH, 1, 10);

        assertThat(call.isHeldNow()).isFalse();
    }

    /** The server has failed over, so the one that answered may not have the data any more. */
    @Test
    void answerOfAFormerServerConfirmsNothing() {
        Admission call = call();
        answer(0, 1, 10, false, 100);
        CompletableFuture<Boolean> refreshed = held(call).refresh().toCompletableFuture();
        int before = last();
        engine.reconnected();
        answer(before, 1, 0, false, 0);

        assertThat(refreshed).isNotDone();
        answer(last(), 1, 0, false, 0);
        assertThat(refreshed).as("it was not part of that statement").isNotDone();
        answer(last(), 1, 0, false, 0);
        assertThat(refreshed).isCompletedWithValue(true);
    }

    @Test
    void closedEnginePlansNothing() {
        Admission call = call();
        answer(0, 1, 10, false, 100);
        CompletableFuture<Boolean> refreshed = held(call).refresh().toCompletableFuture();
        engine.close();
        store.answers.get(last())
                .completeExceptionally(new StoreException(Kind.TRANSIENT, "the application is stopping"));

        assertThat(refreshed).isCompletedExceptionally();
        assertThat(clock.planned()).isZero();
        assertThat(held(call).refresh().toCompletableFuture()).isCompletedExceptionally();
        passMillis(60_000);
        assertThat(clock.planned()).isZero();
    }

    /** Guarantee 5: a permit that was granted to a call which gave up goes back, and not to a newcomer. */
    @Test
    void newcomerDoesNotTakeAPermitThatOthersWaitFor() {
        Admission call = call();
        answer(0, 0, 10, true, 0);
        call.end();
        assertThat(store.answers.get(last())).as("in flight").isNotDone();
        offer(0, EPOCH, 1, 10);
        Admission newcomer = call(Duration.ZERO);

        assertThat(newcomer.isHeldNow()).isFalse();
    }

    /** The offer ended here while a statement was in flight that claimed it. The store refuses a position below zero. */
    @Test
    void whatIsReturnedWhileAClaimIsInFlightCountsAsNotAdmitted() {
        Admission older = call();
        answer(0, 1, 10, false, 100);
        Admission younger = call();
        answer(last(), 1, 20, true, 0);
        offer(last(), EPOCH, 2, 20);
        HeldPermit offered = held(younger);
        passMillis(20);
        Statement claim = store.statements.get(last());
        assertThat(claim.granted()).isEqualTo(2);
        passMillis(ShareStore.OFFER_MILLIS);
        assertThat(offered.isHeld()).isFalse();

        admitOneOf(claim, older);
    }

    /** The offer came after the claim was built, and ended before the answer. */
    @Test
    void whatIsOfferedWhileAClaimIsInFlightIsNoPartOfIt() {
        Admission older = call();
        answer(0, 1, 10, false, 100);
        call();
        int basis = last();
        answer(basis, 1, 20, true, 0);
        passMillis(1_500);
        Statement claim = store.statements.get(last());
        assertThat(claim.number()).isGreaterThan(store.statements.get(basis).number());
        offer(basis, EPOCH, 3, 20);
        passMillis(ShareStore.OFFER_MILLIS);

        admitOneOf(claim, older);
    }

    /** The store has lost its data, and another instance has the other permits. */
    private void admitOneOf(Statement claim, Admission admitted) {
        store.answers.get(store.statements.indexOf(claim)).complete(new Position(claim.number(), EPOCH + 1, 1, 1, 0,
                LEASE_MILLIS, 3, 0, 0, true, false, 0, 0, 0, 0, 200, 17, Map.of(), 0, "run"));

        assertThat(held(admitted).isHeld()).as("it was admitted").isTrue();
        engine.reconnected();
        Statement next = store.statements.get(last());
        assertThat(next.granted() - next.returned() - next.revoked()).isEqualTo(1);
    }

    /** An answer without a grant brings as many as the clock allows, which may be one. */
    @Test
    void fewerTokensDoNotReplaceMore() {
        Tokens tokens = new Tokens(new Share());
        tokens.take(true, 100, 17);

        tokens.take(false, 1_000, 1);

        assertThat(tokens.free()).isEqualTo(17);
    }
}
