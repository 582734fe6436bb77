package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Recalled;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/** What a store does with statements, one situation per test. {@link ShareDefectsTest} has those that show a known defect. */
public abstract class ShareStoreContract {

    private static final BulkheadId BULKHEAD = StatedInstance.BULKHEAD;

    private final InMemoryShareStore server = new InMemoryShareStore(1, bulkhead -> shares());
    private final StatedInstance a = new StatedInstance("a", server);
    private final StatedInstance b = new StatedInstance("b", server);
    private final StatedInstance c = new StatedInstance("c", server);

    /** The implementation, without data. */
    protected abstract ComparedShares shares();

    private void passMillis(long millis) {
        server.advance(1_000 * millis);
    }

    private ShareOverview look() {
        return StatedInstance.await(a.store.look(BULKHEAD, 10));
    }

    @Test
    void grantsWhatIsFree() {
        assertThat(a.tryFor(1, 3).granted()).isEqualTo(2);
        assertThat(b.tryFor(1, 1).granted()).isZero();

        a.giveBack(1);

        assertThat(b.tryFor(1, 1).granted()).isEqualTo(1);
        assertThat(look().granted()).isEqualTo(2);
    }

    @Test
    void answersAgainWithoutGrantingAgain() {
        a.needs = List.of(new Need(0, 1, 1, 3));
        Position first = a.sync();

        Position again = StatedInstance.await(a.store.sync(a.statement(a.number)));

        assertThat(again.granted()).isEqualTo(first.granted()).isEqualTo(2);
        assertThat(again.ticket()).isEqualTo(first.ticket()).isPositive();
        assertThat(look().waiting()).isEqualTo(1);
    }

    @Test
    void tellsAgainWhatALostAnswerSaid() {
        a.needs = List.of(new Need(0, 1, 1, 3));
        Position lost = StatedInstance.await(a.store.sync(a.statement(++a.number)));

        Statement restated = new Statement(BULKHEAD, ++a.number, lost.epoch(), 0, 0, 0, 30_000, 2, false, false, a.needs,
                List.of(), 0, 0, "", -1, List.of(), List.of());
        Position position = StatedInstance.await(a.store.sync(restated));

        assertThat(position.granted()).isEqualTo(2);
        assertThat(position.ticket()).isEqualTo(lost.ticket());
        assertThat(look().waiting()).isEqualTo(1);
    }

    @Test
    void offersGoToTheQueueInOrder() {
        a.tryFor(1, 2);
        passMillis(1);
        b.waitFor(1, 1);
        passMillis(1);
        c.waitFor(1, 1);

        a.giveBack(1);

        Granted offer = (Granted) b.take().get(0);
        assertThat(offer.granted()).isEqualTo(1);
        assertThat(offer.epoch()).isEqualTo(b.epoch);
        assertThat(offer.number()).isEqualTo(b.number);
        assertThat(offer.othersWait()).isTrue();
        assertThat(offer.tokens()).isPositive();
        assertThat(c.take()).isEmpty();

        a.giveBack(1);

        assertThat(((Granted) c.take().get(0)).othersWait()).isFalse();
    }

    @Test
    void aNewcomerDoesNotOvertake() {
        a.tryFor(1, 2);
        b.waitFor(2, 1);
        a.giveBack(1);

        assertThat(c.tryFor(1, 1).granted()).isZero();
        assertThat(c.waitFor(1, 1).granted()).isZero();

        a.giveBack(1);

        assertThat(b.take()).hasAtLeastOneElementOfType(Granted.class);
        assertThat(c.take()).noneMatch(Granted.class::isInstance);
    }

    /** Of calls that follow with the next statement. */
    @Test
    void aPlaceWithoutCallsStopsThoseBehindIt() {
        a.tryFor(1, 2);
        long ticket = b.waitFor(1, 1).ticket();
        b.needs = List.of(new Need(ticket, 1, 1, 0));
        b.sync();
        c.waitFor(1, 1);

        a.giveBack(2);
        assertThat(c.take()).isEmpty();

        b.needs = List.of();
        b.sync();
        assertThat(c.take()).hasAtLeastOneElementOfType(Granted.class);
    }

    @Test
    void whatIsHeavierThanTheLimitBlocksNobody() {
        a.tryFor(1, 2);
        b.limit = 5;
        b.waitFor(5, 1);
        c.waitFor(1, 1);
        StatedInstance.await(a.store.resize(BULKHEAD, 2));

        a.giveBack(1);

        assertThat(c.take()).hasAtLeastOneElementOfType(Granted.class);
    }

    @Test
    void aLightCallThatDoesNotWaitPassesAHeavyOne() {
        a.tryFor(1, 1);

        b.immediate = List.of(new Need(0, 0, 2, 1), new Need(0, 0, 1, 1));

        assertThat(b.sync().granted()).isEqualTo(1);
    }

    @Test
    void anOfferBecomesAShareByTheNextStatement() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        a.giveBack(1);

        b.needs = List.of();
        Position position = b.sync();

        assertThat(position.granted()).isEqualTo(1);
        passMillis(4_000);
        assertThat(b.sync().epoch()).isEqualTo(position.epoch());
        assertThat(look().granted()).isEqualTo(2);
    }

    @Test
    void anOfferEndsWithoutAStatement() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        a.giveBack(1);
        long epoch = b.epoch;
        assertThat(look().granted()).isEqualTo(2);

        passMillis(ShareStore.OFFER_MILLIS + 1);
        assertThat(c.tryFor(1, 1).granted()).isEqualTo(1);

        b.granted = 1;
        b.needs = List.of();
        Position late = b.sync();
        assertThat(late.epoch()).isGreaterThan(epoch);
        assertThat(late.admitted()).isZero();
    }

    @Test
    void deadWaitersAreSkipped() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        c.waitFor(1, 1);
        for (int i = 0; i < 4; i++) {
            passMillis(1_000);
            c.sync();
        }

        a.giveBack(1);

        assertThat(c.take()).hasAtLeastOneElementOfType(Granted.class);
        assertThat(b.take()).isEmpty();
    }

    @Test
    void aPauseKeepsDeadWaitersOnlyOnce() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        c.waitFor(1, 1);

        for (int i = 0; i < 2; i++) {
            passMillis(ShareStore.WAITER_MILLIS + 500);
            c.sync();
        }
        a.giveBack(1);

        assertThat(c.take()).hasAtLeastOneElementOfType(Granted.class);
        assertThat(b.take()).isEmpty();
    }

    @Test
    void aLeaseEnds() {
        a.lease = 1_000;
        a.tryFor(1, 2);
        passMillis(1_001);

        assertThat(b.tryFor(1, 2).granted()).isEqualTo(2);
        Position late = a.sync();

        assertThat(late.admitted()).isZero();
        assertThat(late.granted()).isZero();
    }

    @Test
    void aClaimIsAdmittedAsFarAsThereIsRoom() {
        a.tryFor(1, 2);
        server.loseData();
        b.tryFor(1, 1);

        Position position = a.sync();

        assertThat(position.admitted()).isEqualTo(1);
        assertThat(position.granted()).isEqualTo(1);
        assertThat(look().granted()).isEqualTo(2);
    }

    @Test
    void lostDataDoesNotLoseThePlaceInTheQueue() {
        a.tryFor(1, 2);
        passMillis(1);
        b.waitFor(1, 1);
        passMillis(1);
        c.waitFor(1, 1);
        b.highestToken = b.needs.get(0).ticket();
        c.highestToken = c.needs.get(0).ticket();

        server.loseData();
        a.sync();
        c.sync();
        b.sync();
        a.giveBack(1);

        assertThat(c.take()).noneMatch(Granted.class::isInstance);
        assertThat(b.take()).hasAtLeastOneElementOfType(Granted.class);
    }

    @Test
    void duringTheGraceAllClaimsAreAdmitted() {
        Snapshot before = serverWithShareOfB();
        b.giveBack(2);
        a.tryFor(1, 2);

        server.restore(before);
        server.changeRunId();

        Position position = a.sync();
        assertThat(position.admitted()).isEqualTo(2);
        assertThat(position.graceMillis()).isPositive();
        assertThat(look().granted()).isEqualTo(4);

        b.epoch = 0;
        b.granted = 0;
        b.returned = 0;
        assertThat(b.sync().graceMillis()).as("all have stated their position").isZero();
        assertThat(c.tryFor(1, 1).granted()).isZero();
    }

    private Snapshot serverWithShareOfB() {
        a.sync();
        b.tryFor(1, 2);
        return server.snapshot();
    }

    @Test
    void theGraceGrantsNothingNew() {
        a.tryFor(1, 1);
        server.changeRunId();
        b.serverSince = 0;

        Position early = b.tryFor(1, 1);
        assertThat(early.granted()).isZero();
        assertThat(early.askAgainMillis()).isBetween(1L, ShareStore.GRACE_MILLIS);

        passMillis(ShareStore.GRACE_MILLIS);
        assertThat(b.tryFor(1, 1).granted()).isEqualTo(1);
    }

    /** An instance that has renewed its lease with the server before has the grace period to state that. */
    @Test
    void nothingEndsInTheGrace() {
        a.lease = 1_000;
        a.tryFor(1, 2);
        passMillis(500);
        server.changeRunId();
        b.serverSince = 0;
        b.sync();

        passMillis(1_000);

        assertThat(b.tryFor(1, 1).granted()).isZero();
        assertThat(a.sync().admitted()).isEqualTo(2);
    }

    @Test
    void missingDataHasAGraceOnlyForInstancesThatKnewAnotherRun() {
        b.serverSince = 500;
        assertThat(b.tryFor(1, 1).graceMillis()).isEqualTo(1_500);

        server.loseData();
        assertThat(c.tryFor(1, 1).granted()).isEqualTo(1);
    }

    /** After a restart, an operator may be faster than the instances. */
    @Test
    void limitThatIsSetFirstDoesNotSpareTheGrace() {
        StatedInstance.await(a.store.resize(StatedInstance.BULKHEAD, 3));
        b.serverSince = 500;
        assertThat(b.tryFor(1, 1).graceMillis()).isEqualTo(1_500);
    }

    @Test
    void recallsWhatOthersKeep() {
        a.wantsToKeep = true;
        a.tryFor(1, 2);
        assertThat(a.sync().mayKeep()).isTrue();
        a.keeps = true;

        Position refused = b.tryFor(1, 1);

        assertThat(refused.recalled()).isEqualTo(1);
        assertThat(((Recalled) a.take().get(0)).number()).isEqualTo(a.number);
        assertThat(a.sync().mayKeep()).isFalse();
        passMillis(ShareStore.UNMET_MILLIS + 1);
        assertThat(a.sync().mayKeep()).isTrue();
    }

    @Test
    void aDeafInstanceIsNotWaitedFor() {
        a.wantsToKeep = true;
        a.tryFor(1, 2);
        b.tryFor(1, 1);
        passMillis(ShareStore.DEAF_MILLIS);

        assertThat(b.tryFor(1, 1).recalled()).isZero();
        assertThat(a.take()).hasSize(2);
    }

    private void wantToKeep(StatedInstance... instances) {
        Stream.of(instances).forEach(instance -> instance.wantsToKeep = true);
    }

    /** Otherwise a permit may become free sooner. */
    @Test
    void fullIsWhereNothingIsFreeOrKeptAndNobodyWaits() {
        wantToKeep(b);
        a.tryFor(1, 2);
        assertThat(b.tryFor(1, 1).fullMillis()).isEqualTo(ShareStore.FULL_MILLIS);
        a.giveBack(2);
        a.tryFor(1, 1);
        assertThat(b.tryFor(2, 1).fullMillis()).as("one permit is free").isZero();
        a.waitFor(1, 2);
        assertThat(b.tryFor(1, 1).fullMillis()).as("calls wait").isZero();
        a.needs = List.of();
        wantToKeep(a);
        a.sync();
        passMillis(ShareStore.UNMET_MILLIS + 1);
        assertThat(a.sync().mayKeep()).isTrue();
        a.keeps = true;
        a.sync();
        assertThat(b.tryFor(1, 1).recalled()).isEqualTo(1);
        assertThat(b.sync().fullMillis()).as("nothing was refused").isZero();
        assertThat(b.tryFor(1, 1).fullMillis()).as("what is kept may come back").isZero();
    }

    /** Together, they ask as often as fewer do. */
    @Test
    void manyInstancesAskSeldomWhetherItIsStillFull() {
        a.tryFor(1, 2);
        for (int i = 0; i < 100; i++) {
            new StatedInstance("other" + i, server).sync();
        }
        wantToKeep(b);

        assertThat(b.tryFor(1, 1).fullMillis()).isEqualTo(102 / ShareStore.ASKING_PER_MILLI);
    }

    @Test
    void whereNothingIsKeptNothingIsFull() {
        a.tryFor(1, 2);

        assertThat(b.tryFor(1, 1).fullMillis()).isZero();
    }

    /** Recalls would be too many messages. */
    @Test
    void manyInstancesKeepNothing() {
        for (int i = 0; i < ShareStore.MOST_KEEPERS; i++) {
            StatedInstance keeper = new StatedInstance("keeper" + i, server).withLimit(1_000);
            keeper.wantsToKeep = true;
            assertThat(keeper.tryFor(1, 1).mayKeep()).isTrue();
        }
        a.wantsToKeep = true;
        assertThat(a.withLimit(1_000).tryFor(1, 1).mayKeep()).isFalse();
    }

    @Test
    void whoAloneHasNeedsKeeps() {
        a.wantsToKeep = true;
        a.tryFor(1, 2);
        a.waitFor(1, 1);
        b.sync();

        assertThat(a.take()).isEmpty();
        assertThat(a.sync().mayKeep()).isTrue();
    }

    @Test
    void aDetachedPermitIsAttachedOnce() {
        a.tryFor(1, 1);
        a.holds = List.of(new Statement.Hold("p1", 1, 10_000, 0, "digest", "method"));
        a.giveBack(1);
        a.holds = List.of();
        assertThat(look().granted()).isEqualTo(1);
        assertThat(look().holds()).hasSize(1);

        c.attaches = List.of(new Statement.Attach("p1", "other"));
        assertThat(c.sync().attached()).as("with the id alone").isEmpty();
        b.attaches = List.of(new Statement.Attach("p1", "digest"));
        Position attached = b.sync();
        c.attaches = List.of(new Statement.Attach("p1", "digest"));

        assertThat(attached.granted()).isEqualTo(1);
        assertThat(attached.attached()).containsKey("p1");
        assertThat(c.sync().attached()).isEmpty();
        assertThat(b.sync().attached()).as("attached again").isEmpty();
        b.granted = 0;
        Position again = b.sync();
        assertThat(again.attached()).as("stated again after a lost answer").containsKey("p1");
        assertThat(again.tokens()).as("its tokens were lost with the answer").isPositive();
        assertThat(b.granted).isEqualTo(1);
        assertThat(look().granted()).isEqualTo(1);
    }

    @Test
    void permitThatARepeatedStatementAttachesHasAToken() {
        a.tryFor(1, 2);
        a.holds = List.of(new Statement.Hold("p1", 1, 10_000, 0, "digest", "method"));
        a.giveBack(1);
        b.attaches = List.of(new Statement.Attach("p1", "digest"));
        Position lost = StatedInstance.await(b.store.sync(b.statement(++b.number)));

        Position repeated = StatedInstance.await(b.store.sync(b.statement(b.number)));

        assertThat(repeated.attached()).containsKey("p1");
        assertThat(repeated.tokens()).isPositive();
        assertThat(repeated.firstToken()).isGreaterThanOrEqualTo(lost.firstToken() + lost.tokens());
    }

    /** The answer was lost, and so was the offer that came after it. */
    @Test
    void permitIsAttachedAgainAfterAnOfferWasTakenBack() {
        a.tryFor(1, 2);
        a.holds = List.of(new Statement.Hold("p1", 1, 10_000, 0, "digest", "method"));
        a.giveBack(1);
        a.holds = List.of();
        b.waitFor(1, 1);
        b.attaches = List.of(new Statement.Attach("p1", "digest"));
        b.store.sync(b.statement(++b.number));
        a.giveBack(1);
        passMillis(ShareStore.OFFER_MILLIS);

        assertThat(b.sync().attached()).containsKey("p1");
    }

    @Test
    void aHoldEnds() {
        a.tryFor(1, 2);
        a.holds = List.of(new Statement.Hold("p1", 2, 500, 0, "", "method"));
        a.giveBack(2);
        assertThat(b.tryFor(1, 1).granted()).isZero();

        passMillis(501);

        assertThat(b.tryFor(1, 1).granted()).isEqualTo(1);
        assertThat(server.fields(BULKHEAD)).as("each scan would read it").doesNotContainKey("h:p1");
    }

    /** Otherwise it would learn that with its next heartbeat. */
    @Test
    void aHoldIsToldToTheFirstThatWaits() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        c.waitFor(1, 1);
        a.holds = List.of(new Statement.Hold("p1", 2, 500, 0, "", "method"));
        a.giveBack(2);

        assertThat(b.take()).hasExactlyElementsOfTypes(ShareMessage.Changed.class);
        assertThat(c.take()).isEmpty();
        assertThat(b.sync().askAgainMillis()).isBetween(1L, 500L);
    }

    @Test
    void aCallThatIsStatedWithAHoldLearnsWhenItEnds() {
        a.tryFor(1, 2);
        a.holds = List.of(new Statement.Hold("p1", 2, 500, 0, "", "method"));
        a.returned = 2;

        assertThat(a.waitFor(1, 1).askAgainMillis()).isBetween(1L, 500L);
    }

    @Test
    void revokesAndTells() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);

        assertThat(StatedInstance.await(b.store.revoke(BULKHEAD, "a", "", 1))).isEqualTo(1);

        assertThat(a.take()).hasExactlyElementsOfTypes(ShareMessage.Changed.class);
        assertThat(b.take()).hasAtLeastOneElementOfType(Granted.class);
        a.returned = 2;
        Position position = a.sync();
        assertThat(position.revoked()).as("returned before it knew").isZero();
        assertThat(look().granted()).isEqualTo(1);
    }

    /** The rest of it would be attached as if it had its former weight. */
    @Test
    void revokesADetachedPermitAsAWhole() {
        a.tryFor(2, 1);
        a.holds = List.of(new Statement.Hold("p1", 2, 10_000, 0, "digest", "method"));
        a.giveBack(2);

        assertThat(StatedInstance.await(b.store.revoke(BULKHEAD, "", "p1", 1))).isEqualTo(2);

        b.attaches = List.of(new Statement.Attach("p1", "digest"));
        assertThat(b.sync().attached()).isEmpty();
        assertThat(look().granted()).isZero();
    }

    @Test
    void tokensAreNeverGivenTwice() {
        Position first = a.tryFor(1, 1);
        server.setClockBack(3_600_000_000L);
        Position second = b.tryFor(1, 1);

        assertThat(first.tokens()).isEqualTo(17);
        assertThat(second.firstToken()).isGreaterThanOrEqualTo(first.firstToken() + first.tokens());
        server.loseData();
        c.highestToken = second.firstToken() + 1_000_000;
        assertThat(c.tryFor(1, 1).firstToken()).isGreaterThan(c.highestToken);
    }

    /** Tokens begin with the clock if data is lost, so each block must not be further ahead of it than the one before. */
    @Test
    void blocksOfTokensDoNotOutrunTheClock() {
        a.tokens = 1_000_000;
        Position first = a.tryFor(1, 1);
        long last = first.firstToken();
        for (int round = 1; round <= 10; round++) {
            a.giveBack(1);
            server.advance(100);
            Position position = a.tryFor(1, 1);
            last = position.firstToken() + position.tokens() - 1;
        }

        assertThat(last).isLessThan(first.firstToken() + first.tokens() + 10_000);
    }

    /** An instance may pass on what it was offered for ten milliseconds, with a token for each call. */
    @Test
    void offerBringsTokensForATurn() {
        a.tryFor(1, 2);
        b.waitFor(1, 1);
        passMillis(20);
        a.giveBack(1);

        assertThat(((Granted) b.take().get(0)).tokens()).isEqualTo(10_001);
    }

    /** Their microseconds are over before the next step. */
    @Test
    void offerOfASinglePermitBringsFewTokens() {
        a.withLimit(1).tryFor(1, 1);
        b.withLimit(1).waitFor(1, 1);
        passMillis(20);
        a.giveBack(1);

        assertThat(((Granted) b.take().get(0)).tokens()).isEqualTo(17);
    }

    @Test
    void tokensOfOffersDoNotOutrunTheClock() {
        a.tokens = 1_000_000;
        long first = a.tryFor(1, 2).firstToken();
        long last = 0;
        for (int round = 1; round <= 200; round++) {
            b.waitFor(1, 1);
            server.advance(100);
            Position position = a.giveBack(1);
            Granted offer = (Granted) b.take().get(0);
            last = Math.max(offer.firstToken() + offer.tokens(), position.firstToken() + position.tokens());
            b.granted = offer.granted();
            b.needs = List.of();
            b.giveBack(1);
            a.tryFor(1, 1);
        }

        assertThat(last).as("after 20,000 us").isLessThan(first + 1_000_000 + 25_000);
    }

    /** With a token for each permit, a limit in bytes would bring a second of tokens with each grant. */
    @Test
    void heavyCallBringsAsManyTokensAsAnyOther() {
        a.withLimit(1_000_000_000);
        b.withLimit(1_000_000_000);
        assertThat(a.tryFor(600_000_000, 1).tokens()).isEqualTo(17);
        b.waitFor(600_000_000, 1);
        a.giveBack(600_000_000);

        assertThat(((Granted) b.take().get(0)).tokens()).isEqualTo(17);
    }

    /** Permits that stay with their instance serve calls while the store is away. */
    @Test
    void eachPermitThatStaysHasAToken() {
        a.withLimit(1_000).tokens = 1_000;
        a.wantsToKeep = true;
        a.tryFor(1, 500);
        server.advance(10);
        Position position = a.tryFor(1, 1);

        assertThat(position.mayKeep()).isTrue();
        assertThat(position.tokens()).isGreaterThanOrEqualTo(501);
    }

    @Test
    void otherLimitsAreTold() {
        a.sync();
        b.limit = 3;

        assertThat(b.sync().otherLimit()).isEqualTo(2);
        assertThat(b.sync().otherLimit()).isZero();
        assertThat(a.sync().otherLimit()).isEqualTo(3);
    }

    @Test
    void whatNobodyUsesExpires() {
        a.lease = 1_000;
        a.tryFor(1, 2);
        a.giveBack(2);

        passMillis(1_000 + ShareStore.WAITER_MILLIS + 2 * ShareMachine.SLACK_MILLIS);

        assertThat(server.fields(BULKHEAD)).isEmpty();
    }
}
