package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.TRIES;
import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.WAITS;
import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.WAITS_IN_ORDER;

import java.util.List;

/** What is explored: small enough to be explored to the end, and together all that clients do. */
final class Settings {

    /** In each build. */
    static final List<Setting> SMALL = List.of(
            Setting.of("two try, and renew", 1, TRIES, TRIES).with(Rare.RENEWAL, 2),
            Setting.of("two try, an answer is not waited for", 1, TRIES, TRIES).with(Rare.TIMED_OUT, 1),
            Setting.of("two wait in order", 1, WAITS_IN_ORDER, WAITS_IN_ORDER),
            Setting.of("two wait in order for a short time", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).place(Setting.TICK),
            Setting.of("two wait in order, one is killed", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.CRASH, 1),
            Setting.of("two wait beside the queue", 1, WAITS, WAITS),
            Setting.of("one waits in order, another beside the queue", 1, WAITS_IN_ORDER, WAITS),
            Setting.of("two wait in order, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.DATA_LOST,
                    1),
            Setting.of("two try, and renew, a key is evicted", 1, TRIES, TRIES).with(Rare.RENEWAL, 1).with(Rare.EVICTED, 1),
            Setting.of("two try, and renew, the holders are evicted", 1, TRIES, TRIES).with(Rare.RENEWAL, 1)
                    .with(Rare.HOLDERS_EVICTED, 1),
            Setting.of("two wait beside the queue, a key is evicted", 1, WAITS, WAITS).with(Rare.EVICTED, 1),
            Setting.of("two try, the clock of the server jumps", 1, TRIES, TRIES).with(Rare.CLOCK_AHEAD, 1)
                    .with(Rare.CLOCK_BACK, 1),
            Setting.of("a light and a heavy one try, and renew", 2, TRIES, TRIES).weights(1, 2).with(Rare.RENEWAL, 2),
            Setting.of("a light and a heavy one wait in order, one is killed", 2, WAITS_IN_ORDER, WAITS_IN_ORDER).weights(1, 2)
                    .with(Rare.CRASH, 1),
            Setting.of("two try, and renew, with a minimum hold, one is killed", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.RENEWAL, 1).with(Rare.CRASH, 1),
            Setting.of("two try with a minimum hold, an answer is not waited for", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.TIMED_OUT, 1),
            Setting.of("two try with a minimum hold, all is sent again", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.SENT_AGAIN, 1),
            Setting.of("two wait in order with a minimum hold, one is killed", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .minHold(2 * Setting.TICK).with(Rare.CRASH, 1),
            Setting.of("two try, one detaches, one is killed", 1, TRIES, TRIES).with(Rare.DETACHED, 1).with(Rare.CRASH, 1),
            Setting.of("two try, one detaches, all is sent again", 1, TRIES, TRIES).with(Rare.DETACHED, 1)
                    .with(Rare.SENT_AGAIN, 1));

    /** Each takes as long as many of the small ones: in the nightly build. */
    static final List<Setting> LONG = List.of(
            Setting.of("two try twice, one is killed", 1, TRIES, TRIES).calls(2).with(Rare.CRASH, 1),
            Setting.of("two try, all is sent again", 1, TRIES, TRIES).with(Rare.SENT_AGAIN, 1),
            Setting.of("two wait in order, a key is evicted", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.EVICTED, 1),
            Setting.of("two try, and renew, the clock of the server jumps", 1, TRIES, TRIES).with(Rare.RENEWAL, 1)
                    .with(Rare.CLOCK_AHEAD, 1).with(Rare.CLOCK_BACK, 1),
            Setting.of("two try twice, one detaches", 1, TRIES, TRIES).calls(2).with(Rare.DETACHED, 1),
            Setting.of("one waits in order beside one that tries, and polls", 1, TRIES, WAITS_IN_ORDER).with(Rare.POLL, 1),
            Setting.of("three try for two permits, one of them for both", 2, TRIES, TRIES, TRIES).weights(1, 1, 2),
            Setting.of("a light and a heavy one wait in order, a key is evicted", 2, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .weights(1, 2).with(Rare.EVICTED, 1),
            Setting.of("a light and a heavy one try, and renew, the clock of the server jumps", 2, TRIES, TRIES).weights(1, 2)
                    .with(Rare.RENEWAL, 1).with(Rare.CLOCK_AHEAD, 1).with(Rare.CLOCK_BACK, 1),
            Setting.of("three try for two permits", 2, TRIES, TRIES, TRIES),
            Setting.of("two wait in order, one polls, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .with(Rare.DATA_LOST, 1).with(Rare.POLL, 1),
            Setting.of("one waits in order for two permits beside two that try for one", 2, WAITS_IN_ORDER, TRIES, TRIES)
                    .weights(2, 1, 1),
            Setting.of("a light and a heavy one wait beside the queue, and poll", 2, WAITS, WAITS).weights(1, 2)
                    .with(Rare.POLL, 1));

    /** With time to spare. */
    static final List<Setting> LARGE = List.of(
            Setting.of("two wait in order, renew and poll", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.RENEWAL, 1)
                    .with(Rare.POLL, 1),
            Setting.of("two wait in order and poll, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .with(Rare.DATA_LOST, 1).with(Rare.POLL, 2),
            Setting.of("two wait in order, an answer is not waited for", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.TIMED_OUT,
                    1),
            Setting.of("two wait in order, all is sent again", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.SENT_AGAIN, 1),
            Setting.of("two wait beside the queue, and poll", 1, WAITS, WAITS).with(Rare.POLL, 1),
            Setting.of("two try, all is sent again, an answer is not waited for, one is killed", 1, TRIES, TRIES)
                    .with(Rare.SENT_AGAIN, 1).with(Rare.TIMED_OUT, 1).with(Rare.CRASH, 1),
            Setting.of("three wait in order", 1, WAITS_IN_ORDER, WAITS_IN_ORDER, WAITS_IN_ORDER));

    private Settings() {
    }
}
