package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Attach;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Hold;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/** Situations that show a defect of the script which generated histories find by luck only. */
class ShareDefectsTest {

    /** Three instances of a bulkhead with two permits. */
    private static final class Scene {

        private final InMemoryShareStore server;
        private final StatedInstance a;
        private final StatedInstance b;
        private final StatedInstance c;

        private Scene(ComparedShares shares) {
            server = new InMemoryShareStore(1, bulkhead -> shares);
            a = new StatedInstance("a", server);
            b = new StatedInstance("b", server);
            c = new StatedInstance("c", server);
        }

        private void passMillis(long millis) {
            server.advance(1_000 * millis);
        }

        private int granted() {
            return StatedInstance.await(a.store.look(StatedInstance.BULKHEAD, 10)).granted();
        }

        private void offerOnePermitToB() {
            a.tryFor(1, 2);
            b.waitFor(1, 1);
            a.giveBack(1);
        }
    }

    enum Defect {

        OFFERS_ARE_TAKEN_BACK_IN_THE_SAME_EPOCH(
                "record.epoch, record.offered, record.returned, record.revoked = epoch, 0, 0, 0",
                "record.offered, record.returned, record.revoked = 0, 0, 0", scene -> {
                    scene.offerOnePermitToB();
                    long epoch = scene.b.epoch;
                    scene.passMillis(ShareStore.OFFER_MILLIS + 1);
                    assertThat(scene.b.sync().epoch()).isGreaterThan(epoch);
                }),
        WHAT_IS_LEFT_OF_AN_OFFER_KEEPS_ITS_COUNTER("or sizeOf(record) - record.offered", "or record.granted - record.offered",
                scene -> {
                    // What it was granted once is no part of its share.
                    scene.b.tryFor(1, 1);
                    scene.b.giveBack(1);
                    scene.offerOnePermitToB();
                    Statement late = scene.b.statement(scene.b.number);
                    scene.passMillis(ShareStore.OFFER_MILLIS + 1);
                    scene.c.sync();
                    assertThat(StatedInstance.await(scene.b.store.sync(late)).granted()).as("in a new epoch").isZero();
                }),
        A_CLAIM_STAYS_IN_THE_OLD_EPOCH("mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(),",
                "mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = max(1, mine.epoch),", scene -> {
                    scene.a.tryFor(1, 2);
                    long epoch = scene.a.epoch;
                    scene.a.granted = 3;
                    assertThat(scene.a.sync().epoch()).isGreaterThan(epoch);
                }),
        A_REPEATED_CLAIM_WAS_NOT_ADMITTED("max(0, min(claimed, confirmed - weight))", "0", scene -> {
            scene.a.tryFor(1, 2);
            scene.server.loseData();
            Statement claim = scene.a.statement(++scene.a.number);
            Position lost = StatedInstance.await(scene.a.store.sync(claim));
            Position again = StatedInstance.await(scene.a.store.sync(claim));
            assertThat(again.epoch()).isEqualTo(lost.epoch());
            assertThat(again.admitted()).isEqualTo(lost.admitted()).isEqualTo(2);
        }),
        UNKNOWN_GRANTS_ARE_GRANTED_AGAIN("matches and mine.granted - statement.granted - weight or 0", "0", scene -> {
            scene.a.needs = List.of(new Need(0, 1, 1, 1));
            Position lost = StatedInstance.await(scene.a.store.sync(scene.a.statement(++scene.a.number)));
            scene.a.epoch = lost.epoch();
            assertThat(scene.a.sync().granted()).isEqualTo(lost.granted()).isEqualTo(1);
        }),
        LEASES_DO_NOT_END("sizeOf(record) > 0 and record.ending <= now", "false", scene -> {
            scene.a.lease = 1_000;
            scene.a.tryFor(1, 2);
            Statement copy = scene.a.statement(scene.a.number);
            scene.passMillis(1_001);
            scene.b.sync();
            StatedInstance.await(scene.a.store.sync(copy));
            assertThat(scene.granted()).isZero();
        }),
        LATE_STATEMENTS_COUNT("number <= mine.number", "number == mine.number", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.needs = List.of(new Need(0, 1, 1, 1));
            Statement late = scene.b.statement(++scene.b.number);
            scene.b.needs = List.of();
            scene.b.sync();
            StatedInstance.await(scene.b.store.sync(late));
            scene.a.giveBack(1);
            assertThat(scene.b.take()).isEmpty();
        }),
        REPEATED_ANSWERS_TELL_OFFERS("mine.granted - mine.offered,", "mine.granted,", scene -> {
            scene.offerOnePermitToB();
            Position again = StatedInstance.await(scene.b.store.sync(scene.b.statement(scene.b.number)));
            assertThat(again.granted()).isZero();
        }),
        THE_CLOCK_MAY_GO_BACK("max(all.offset, all.clock - wall)", "0", scene -> {
            scene.a.lease = 1_000;
            scene.a.tryFor(1, 2);
            scene.server.setClockBack(3_600_000_000L);
            scene.b.sync();
            scene.passMillis(1_001);
            assertThat(scene.b.tryFor(1, 2).granted()).isEqualTo(2);
        }),
        HOLDS_NEED_NOT_BE_COVERED("weight > covered", "false", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.sync();
            scene.b.holds = List.of(new Hold("p1", 1, 10_000, 0, "", "method"));
            scene.b.sync();
            assertThat(scene.granted()).isEqualTo(2);
        }),
        A_CLAIM_LOSES_WHAT_IT_ATTACHED("hold.by == mine.name and hold.epoch == mine.epoch and hold.granted <= freed", "false",
                scene -> {
                    scene.a.tryFor(1, 1);
                    scene.a.holds = List.of(new Hold("p1", 1, 10_000, 0, "digest", "method"));
                    scene.a.giveBack(1);
                    scene.b.attaches = List.of(new Attach("p1", "digest"));
                    // The answer to the first statement of an instance is lost, so it does not know its epoch.
                    StatedInstance.await(scene.b.store.sync(scene.b.statement(++scene.b.number)));
                    assertThat(scene.b.sync().attached()).containsKey("p1");
                    assertThat(scene.b.granted).isEqualTo(1);
                    assertThat(scene.granted()).isEqualTo(1);
                }),
        A_PAUSE_COSTS_THE_PLACES("before - record.stated < WAITER - RESTATED", "false", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(1, 1);
            scene.passMillis(1);
            scene.c.waitFor(1, 1);
            scene.passMillis(2 * ShareStore.WAITER_MILLIS);
            scene.c.sync();
            scene.a.giveBack(1);
            assertThat(scene.b.take()).hasAtLeastOneElementOfType(Granted.class);
        }),
        DEAD_HEADS_ARE_NOT_SKIPPED("share.groups[1] and now - share.stated < WAITER then", "share.groups[1] then", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(1, 1);
            scene.passMillis(ShareStore.WAITER_MILLIS / 2);
            scene.c.sync();
            scene.passMillis(ShareStore.WAITER_MILLIS / 2);
            scene.c.waitFor(1, 1);
            scene.a.giveBack(1);
            assertThat(scene.c.take()).hasAtLeastOneElementOfType(Granted.class);
        }),
        A_PLACE_WITHOUT_A_RECORD_STAYS("mine.isQueued = isAwaited", "", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(1, 1);
            scene.server.evict(StatedInstance.BULKHEAD, false);
            scene.b.needs = List.of();
            scene.b.sync();
            assertThat(scene.server.queue(StatedInstance.BULKHEAD)).isEmpty();
        }),
        A_REFUSED_HEAVY_CALL_BLOCKS("if waits and fits and calls == 0 then", "if fits and calls == 0 then", scene -> {
            scene.a.tryFor(1, 1);
            scene.b.immediate = List.of(new Need(0, 0, 2, 1), new Need(0, 0, 1, 1));
            assertThat(scene.b.sync().granted()).isEqualTo(1);
        }),
        NEWCOMERS_OVERTAKE("not (share and share.groups[1].ticket < own.ticket)", "true", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(2, 1);
            scene.a.giveBack(1);
            assertThat(scene.c.tryFor(1, 1).granted()).isZero();
        }),
        THE_QUEUE_IS_REVERSED("format('%d', share.groups[1].ticket)", "format('%d', -share.groups[1].ticket)", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(1, 1);
            scene.passMillis(1);
            scene.c.waitFor(1, 1);
            scene.a.giveBack(1);
            assertThat(scene.b.take()).hasAtLeastOneElementOfType(Granted.class);
        }),
        THE_QUEUE_DOES_NOT_EXPIRE("call('PEXPIRE', QUEUE, all.kept - now)", "", scene -> {
            scene.a.tryFor(1, 2);
            scene.b.waitFor(1, 1);
            scene.passMillis(scene.a.lease + ShareStore.WAITER_MILLIS + 10_000);
            assertThat(scene.server.fields(StatedInstance.BULKHEAD)).isEmpty();
            assertThat(scene.server.queue(StatedInstance.BULKHEAD)).isEmpty();
        }),
        THE_REFUSED_DO_NOT_LEARN_WHEN_A_LEASE_ENDS("or isUnmet and max(", "or mine.groups[1] and max(", scene -> {
            scene.a.lease = 5_000;
            scene.a.tryFor(1, 2);
            assertThat(scene.b.tryFor(1, 1).askAgainMillis()).isEqualTo(5_000);
        });

        private final String text;
        private final String broken;
        private final Consumer<Scene> situation;

        Defect(String text, String broken, Consumer<Scene> situation) {
            this.text = text;
            this.broken = broken;
            this.situation = situation;
        }
    }

    private static ComparedShares script(String text) {
        return new ComparedShares.Modelled(text);
    }

    @ParameterizedTest
    @EnumSource
    void situationShowsADefect(Defect defect) {
        String script = ScriptTexts.of("share");
        assertThat(script).contains(defect.text);

        defect.situation.accept(new Scene(new ComparedShares.Machine()));
        defect.situation.accept(new Scene(script(script)));

        Scene broken = new Scene(script(script.replace(defect.text, defect.broken)));
        assertThatThrownBy(() -> defect.situation.accept(broken)).as(defect.name()).isInstanceOf(AssertionError.class)
                .hasMessageNotContaining("LuaError");
    }
}
