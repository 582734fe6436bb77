package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/** Which calls go together, and when; a command is never larger than it may be, and nothing is kept of what is over. */
class OutboxTest {

    private final Outbox outbox = new Outbox();

    private record Asked(String group, int size, String about, boolean isAwaited) implements JointCall<Void> {

        private Asked(String group, int size, String about) {
            this(group, size, about, true);
        }

        @Override
        public Future<Response> together(RedisConnection connection, List<? extends JointCall<?>> calls) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Void answer(Response reply, int before) {
            return null;
        }
    }

    private record AskedAlone(String about) implements RedisCall<Void> {

        @Override
        public Future<Void> over(RedisConnection connection) {
            throw new UnsupportedOperationException();
        }
    }

    private PendingCall<?> add(RedisCall<?> call) {
        PendingCall<?> pending = new PendingCall<>(call);
        outbox.add(pending);
        return pending;
    }

    private PendingCall<?> add(String group, String name) {
        return add(new Asked(group, 1, name));
    }

    private PendingCall<?> addInBackground(String name) {
        return add(new Asked("a", 1, name, false));
    }

    private PendingCall<?> addLarge(int size, String name) {
        return add(new Asked("a", size, name));
    }

    private Shipment assertNext(String... names) {
        Shipment next = outbox.next();
        assertThat(next).isNotNull();
        assertThat(namesOf(next.calls())).containsExactly(names);
        return next;
    }

    private static List<String> namesOf(List<PendingCall<?>> calls) {
        return calls.stream().map(PendingCall::about).toList();
    }

    private void assertNothingToSend() {
        assertThat(outbox.next()).isNull();
    }

    @Test
    void aGroupHasOneCommandOnItsWayAndTheRestGathersInOrder() {
        add("a", "1");
        Shipment first = assertNext("1");
        add("a", "2");
        add("b", "elsewhere");
        add("a", "3");
        assertNext("elsewhere");
        assertNothingToSend();

        outbox.isBack(first);
        assertNext("2", "3");
        assertNothingToSend();
    }

    /** What fills a command has nothing to wait for, but one group does not take all of the connection. */
    @Test
    void whatFillsACommandGoesBehindTheOneThatIsOnItsWay() {
        add("a", "1");
        Shipment first = assertNext("1");
        addLarge(Outbox.MOST_TOGETHER - 1, "large");
        assertNothingToSend();
        add("a", "fills it");
        Shipment second = assertNext("large", "fills it");
        for (int i = 2; i < Outbox.MOST_ON_THEIR_WAY; i++) {
            addLarge(Outbox.MOST_TOGETHER, "full");
            assertNext("full");
        }
        addLarge(Outbox.MOST_TOGETHER, "too many");
        add("a", "rest");
        add("b", "elsewhere");
        assertNext("elsewhere");
        assertNothingToSend();

        outbox.isBack(first);
        assertNext("too many");
        assertNothingToSend();
        outbox.isBack(second);
        assertNothingToSend();
    }

    @Test
    void callsWithoutAGroupWaitForNobody() {
        add(new AskedAlone("1"));
        add(new AskedAlone("2"));
        Shipment first = assertNext("1");
        assertNext("2");

        outbox.isBack(first);
        assertNothingToSend();
    }

    @Test
    void aCallThatHasNoRoomGoesInTheNextCommandAndNobodyOvertakesIt() {
        addLarge(Outbox.MOST_TOGETHER - 10, "large");
        addLarge(10, "fits");
        addLarge(1, "too much");
        addLarge(Outbox.MOST_TOGETHER, "large, too");
        addLarge(1, "last");

        outbox.isBack(assertNext("large", "fits"));
        outbox.isBack(assertNext("too much"));
        outbox.isBack(assertNext("large, too"));
        outbox.isBack(assertNext("last"));
        assertNothingToSend();
    }

    /** No call is larger than a command may be. */
    @Test
    void whatStoresAreAskedAtOnceHasRoom() {
        assertThat(PermitStore.MAX_RENEWED_AT_ONCE).isLessThanOrEqualTo(Outbox.MOST_TOGETHER);
        assertThat(PermitStore.MAX_CANCELLED_AT_ONCE).isLessThanOrEqualTo(Outbox.MOST_TOGETHER);
    }

    @Test
    void whoWasGivenUpIsNotSentAndTakesNoRoom() {
        addLarge(1, "1");
        givenUp(addLarge(Outbox.MOST_TOGETHER - 1, "given up"));
        addLarge(Outbox.MOST_TOGETHER - 1, "2");
        givenUp(add("b", "given up, the only one of its group"));
        givenUp(add("c", "given up, the first of its group"));
        add("c", "3");

        assertNext("1", "2");
        assertNext("3");
        assertNothingToSend();
    }

    private static void givenUp(PendingCall<?> call) {
        call.fail(new StoreException("No answer in time", true, null));
    }

    /** Each key of a bulkhead is a group, and there may be a million of them. */
    @Test
    void nothingIsKeptOfGroupsThatHaveNothingToSend() {
        add("a", "1");
        Shipment first = assertNext("1");
        givenUp(add("b", "given up"));
        assertNothingToSend();
        assertThat(outbox.groups()).as("those that have something on its way").isEqualTo(1);
        givenUp(add("a", "gathers, and is given up"));

        outbox.isBack(first);
        assertNothingToSend();
        assertThat(outbox.groups()).isZero();
        add("a", "2");
        outbox.isBack(assertNext("2"));
        assertThat(outbox.groups()).isZero();
    }

    /** An acquire goes right behind a release, so a call waits for one round trip only. */
    @Test
    void callsDoNotGatherBehindWhatNobodyWaitsFor() {
        addInBackground("release 1");
        Shipment release = assertNext("release 1");
        addInBackground("release 2");
        assertNothingToSend();
        add("a", "acquire 1");
        Shipment acquire = assertNext("release 2", "acquire 1");
        add("a", "acquire 2");
        outbox.isBack(release);
        assertNothingToSend();

        outbox.isBack(acquire);
        assertNext("acquire 2");
    }

    /** Redis refused the release for the moment, and carried the acquire out, which found no permit. */
    @Test
    void whatOvertakesAnEarlierCommandOfItsGroupGoesAgainBehindIt() {
        addInBackground("release");
        Shipment release = assertNext("release");
        add("a", "acquire");
        Shipment acquire = assertNext("acquire");
        assertThat(outbox.pause(release)).isTrue();
        add("a", "later");

        assertThat(outbox.isInOrder(acquire)).isFalse();
        outbox.repeat(acquire);
        assertNothingToSend();

        outbox.resume("a");
        Shipment again = assertNext("release", "acquire", "later");
        assertThat(outbox.isInOrder(again)).isTrue();
        outbox.isBack(again);
        assertThat(outbox.groups()).isZero();
    }

    /** The release takes a second round trip, for example because Redis lost the script. */
    @Test
    void whatIsAnsweredBeforeAnEarlierCommandOfItsGroupGoesAgainBehindIt() {
        addInBackground("release");
        Shipment release = assertNext("release");
        add("a", "acquire");
        Shipment acquire = assertNext("acquire");

        assertThat(outbox.isInOrder(acquire)).isFalse();
        outbox.repeat(acquire);
        assertNothingToSend();

        assertThat(outbox.isInOrder(release)).isTrue();
        outbox.isBack(release);
        outbox.isBack(assertNext("acquire"));
        assertThat(outbox.groups()).isZero();
    }

    /** A copy in flight must not be answered after the pause, as if it were in order. */
    @Test
    void aPauseLastsUntilNothingOfTheGroupIsInFlight() {
        addInBackground("release");
        Shipment release = assertNext("release");
        add("a", "acquire");
        Shipment acquire = assertNext("acquire");
        outbox.pause(release);
        outbox.resume("a");
        assertNothingToSend();

        assertThat(outbox.isInOrder(acquire)).isFalse();
        outbox.repeat(acquire);
        assertNext("release", "acquire");
    }

    /** After a reconnect, releases that were not answered go before later acquires. */
    @Test
    void whatWasNotAnsweredIsTakenBackInOrder() {
        addInBackground("release");
        assertNext("release");
        add("a", "acquire");
        assertNext("acquire");
        add("a", "1");
        add(new AskedAlone("alone"));
        add("a", "2");
        add("b", "elsewhere");

        List<PendingCall<?>> all = outbox.clear();

        assertThat(namesOf(all)).containsExactlyInAnyOrder("release", "acquire", "1", "2", "alone", "elsewhere")
                .containsSubsequence("release", "acquire", "1", "2");
        assertNothingToSend();
        assertThat(outbox.groups()).isZero();
        outbox.resume("a");
        assertNothingToSend();
    }
}
