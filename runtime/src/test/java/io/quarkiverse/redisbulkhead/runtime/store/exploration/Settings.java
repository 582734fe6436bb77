package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.TRIES;
import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.WAITS;
import static io.quarkiverse.redisbulkhead.runtime.store.exploration.Role.WAITS_IN_ORDER;

import java.util.List;

/** The explored settings: small enough for a complete exploration, and together covering all client behaviour. */
final class Settings {

    /** For each build. */
    static final List<Setting> SMALL = List.of(
            Setting.of("two try and renew", 1, TRIES, TRIES).with(Rare.RENEWAL, 2),
            Setting.of("two try, a request times out", 1, TRIES, TRIES).with(Rare.TIMED_OUT, 1),
            Setting.of("two queue", 1, WAITS_IN_ORDER, WAITS_IN_ORDER),
            Setting.of("two queue for a short time", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).place(Setting.TICK),
            Setting.of("two queue, one is killed", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.CRASH, 1),
            Setting.of("two stand by", 1, WAITS, WAITS),
            Setting.of("one queues, one stands by", 1, WAITS_IN_ORDER, WAITS),
            Setting.of("two queue, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.DATA_LOST,
                    1),
            Setting.of("two try and renew, a key is evicted", 1, TRIES, TRIES).with(Rare.RENEWAL, 1).with(Rare.EVICTED, 1),
            Setting.of("two try and renew, the holders are evicted", 1, TRIES, TRIES).with(Rare.RENEWAL, 1)
                    .with(Rare.HOLDERS_EVICTED, 1),
            Setting.of("two stand by, a key is evicted", 1, WAITS, WAITS).with(Rare.EVICTED, 1),
            Setting.of("two try, the server's clock jumps", 1, TRIES, TRIES).with(Rare.CLOCK_AHEAD, 1)
                    .with(Rare.CLOCK_BACK, 1),
            Setting.of("light and heavy try and renew", 2, TRIES, TRIES).weights(1, 2).with(Rare.RENEWAL, 2),
            Setting.of("light and heavy queue, one is killed", 2, WAITS_IN_ORDER, WAITS_IN_ORDER).weights(1, 2)
                    .with(Rare.CRASH, 1),
            Setting.of("two try and renew, with a minimum hold, one is killed", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.RENEWAL, 1).with(Rare.CRASH, 1),
            Setting.of("two try with a minimum hold, a request times out", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.TIMED_OUT, 1),
            Setting.of("two try with a minimum hold, requests are resent", 1, TRIES, TRIES).minHold(2 * Setting.TICK)
                    .with(Rare.SENT_AGAIN, 1),
            Setting.of("two queue with a minimum hold, one is killed", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .minHold(2 * Setting.TICK).with(Rare.CRASH, 1),
            Setting.of("two try, one detaches, one is killed", 1, TRIES, TRIES).with(Rare.DETACHED, 1).with(Rare.CRASH, 1),
            Setting.of("two try, one detaches, requests are resent", 1, TRIES, TRIES).with(Rare.DETACHED, 1)
                    .with(Rare.SENT_AGAIN, 1));

    /** For the weekly build, because each takes as long as many small ones. */
    static final List<Setting> LONG = List.of(
            Setting.of("two try twice, one is killed", 1, TRIES, TRIES).calls(2).with(Rare.CRASH, 1),
            Setting.of("two try, requests are resent", 1, TRIES, TRIES).with(Rare.SENT_AGAIN, 1),
            Setting.of("two queue, a key is evicted", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.EVICTED, 1),
            Setting.of("two try and renew, the server's clock jumps", 1, TRIES, TRIES).with(Rare.RENEWAL, 1)
                    .with(Rare.CLOCK_AHEAD, 1).with(Rare.CLOCK_BACK, 1),
            Setting.of("two try twice, one detaches", 1, TRIES, TRIES).calls(2).with(Rare.DETACHED, 1),
            Setting.of("one queues and polls, one tries", 1, TRIES, WAITS_IN_ORDER).with(Rare.POLL, 1),
            Setting.of("three try for two permits, one of them for both", 2, TRIES, TRIES, TRIES).weights(1, 1, 2),
            Setting.of("light and heavy queue, a key is evicted", 2, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .weights(1, 2).with(Rare.EVICTED, 1),
            Setting.of("light and heavy try and renew, the server's clock jumps", 2, TRIES, TRIES).weights(1, 2)
                    .with(Rare.RENEWAL, 1).with(Rare.CLOCK_AHEAD, 1).with(Rare.CLOCK_BACK, 1),
            Setting.of("three try for two permits", 2, TRIES, TRIES, TRIES),
            Setting.of("two queue, one polls, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .with(Rare.DATA_LOST, 1).with(Rare.POLL, 1),
            Setting.of("one queues for two permits, two try for one", 2, WAITS_IN_ORDER, TRIES, TRIES)
                    .weights(2, 1, 1),
            Setting.of("light and heavy stand by and poll", 2, WAITS, WAITS).weights(1, 2)
                    .with(Rare.POLL, 1));

    /** For manual runs. */
    static final List<Setting> LARGE = List.of(
            Setting.of("two queue, renew and poll", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.RENEWAL, 1)
                    .with(Rare.POLL, 1),
            Setting.of("two queue and poll, the server loses its data", 1, WAITS_IN_ORDER, WAITS_IN_ORDER)
                    .with(Rare.DATA_LOST, 1).with(Rare.POLL, 2),
            Setting.of("two queue, a request times out", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.TIMED_OUT,
                    1),
            Setting.of("two queue, requests are resent", 1, WAITS_IN_ORDER, WAITS_IN_ORDER).with(Rare.SENT_AGAIN, 1),
            Setting.of("two stand by and poll", 1, WAITS, WAITS).with(Rare.POLL, 1),
            Setting.of("two try, requests are resent, a request times out, one is killed", 1, TRIES, TRIES)
                    .with(Rare.SENT_AGAIN, 1).with(Rare.TIMED_OUT, 1).with(Rare.CRASH, 1),
            Setting.of("three queue", 1, WAITS_IN_ORDER, WAITS_IN_ORDER, WAITS_IN_ORDER));

    private Settings() {
    }
}
