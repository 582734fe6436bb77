package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.ModelStep.OldTicket;

/**
 * Plays one history on a store and on the model, on a bulkhead of its own. After each step it compares the answer, the
 * notices and all holders and waiters, and checks what must hold in any case, whatever the model says.
 */
final class ModelRun {

    /**
     * What went wrong.
     *
     * @param step the number of the step, from 0
     * @param message what was expected and what was found
     */
    record Failure(int step, String message) {
    }

    private final StoreFixture stores;
    private final String suffix = "-" + UUID.randomUUID();
    private final String name = "model" + suffix;
    private final BulkheadModel model;
    private final List<Notice> seen = new ArrayList<>();
    private final Map<String, AcquireRequest> requests = new HashMap<>();

    /** By ticket, the limit under which each permit was granted. */
    private final Map<Long, Integer> grantedUnder = new HashMap<>();

    private long lastGranted;
    private Object lastAnswer;
    private final Map<String, Long> ticketsTold = new HashMap<>();
    private long lastTicketTold;

    private ModelRun(StoreFixture stores) {
        this.stores = stores;
        stores.forgetNotices();
        // Whatever was granted before has a lower ticket now, so that the model can foretell each ticket.
        stores.advance(Duration.ofSeconds(1));
        model = new BulkheadModel(
                BulkheadUnderTest
                        .get(stores.first().poll(BulkheadId.of(name + "-clock"), 1, List.of("nobody" + suffix),
                                Duration.ofSeconds(1)))
                        .storeMillis(),
                stores.mayLoseData());
    }

    static Optional<Failure> play(StoreFixture stores, List<ModelStep> history) {
        ModelRun run = new ModelRun(stores);
        for (int i = 0; i < history.size(); i++) {
            try {
                run.play(history.get(i));
            } catch (RuntimeException | AssertionError e) {
                return Optional.of(new Failure(i, String.valueOf(e.getMessage()).replace(run.suffix, "")));
            }
        }
        return Optional.empty();
    }

    private void play(ModelStep step) {
        step.play(this);
        checkNotices(model.takeExpected());
        Occupancy occupancy = call(0, store -> store.occupancy(BulkheadId.of(name), PermitStore.MAX_LISTED));
        checkInvariants(occupancy, step.settles(this));
        compareOccupancy(occupancy, PermitStore.MAX_LISTED);
    }

    BulkheadModel model() {
        return model;
    }

    String name() {
        return name;
    }

    /** Ids are unique, so that notices about an earlier history never count. */
    String id(String shortId) {
        return shortId + suffix;
    }

    <V> Map<String, V> ids(Map<String, V> byShortId) {
        return byShortId.entrySet().stream().collect(Collectors.toMap(entry -> id(entry.getKey()), Map.Entry::getValue));
    }

    <T> T call(int client, Function<PermitStore, CompletionStage<T>> call) {
        return BulkheadUnderTest.get(call.apply(client % 2 == 0 ? stores.first() : stores.second()));
    }

    void remember(AcquireRequest request) {
        requests.put(request.permitId(), request);
    }

    long oldTicket(String id, OldTicket which) {
        return switch (which) {
            case NONE -> 0;
            case ITS_OWN -> ticketsTold.getOrDefault(id, 0L);
            case THE_LATEST -> lastTicketTold;
            case EARLY -> (model.now() - 60_000) * 1_000;
            case ABSURD -> Long.MAX_VALUE;
            case SMALLEST -> 1;
        };
    }

    void told(String id, AcquireReply reply) {
        if (reply instanceof AcquireReply.Waiting waiting) {
            ticketsTold.put(id, waiting.ticket());
            lastTicketTold = waiting.ticket();
        }
    }

    Object lastAnswer() {
        return lastAnswer;
    }

    void advance(long millis) {
        stores.advance(Duration.ofMillis(millis));
        model.advance(millis);
    }

    void compare(Object expected, Object actual) {
        lastAnswer = actual;
        require(Objects.equals(expected, actual), "The answer should be", expected, actual);
    }

    /** Those that end, or came, at the same time may be listed in any order. */
    void compareOccupancy(Occupancy actual, int most) {
        List<Holder> holders = model.holders();
        List<Waiter> fair = model.fairWaiters();
        List<Waiter> open = model.openWaiters();
        compareNumbers(actual, holders.size(), fair.size() + open.size());
        compareLists("holders", holders, actual.holders(), most, Holder::until);
        int listedFair = Math.min(Math.min(most, fair.size()), actual.waiters().size());
        require(fair.subList(0, Math.min(most, fair.size())).equals(actual.waiters().subList(0, listedFair)),
                "The fair waiters should be", fair, actual.waiters());
        List<Waiter> others = actual.waiters().subList(listedFair, actual.waiters().size());
        if (most - listedFair < open.size()) {
            // Only so many of them are listed, whichever.
            require(open.containsAll(others) && others.size() == most - listedFair, "The other waiters should be some of", open,
                    others);
        } else {
            compareLists("other waiters", open, others, most - listedFair, Waiter::since);
        }
    }

    private void compareNumbers(Occupancy actual, int inUse, int waiting) {
        require(actual.inUse() == inUse, "The permits in use should be", inUse, actual);
        require(actual.waiting() == waiting, "Those who wait should be", waiting, actual);
        require(actual.resizedTo().equals(model.resizedTo()), "The override should be", model.resizedTo(), actual);
        require(actual.statedLimits().containsAll(model.limitsThatMustBeListed())
                && model.limitsThatMayBeListed().containsAll(actual.statedLimits()),
                "The stated limits should be between", model.limitsThatMustBeListed() + " and "
                        + model.limitsThatMayBeListed(),
                actual);
    }

    private <T, K> void compareLists(String what, List<T> expected, List<T> actual, int most, Function<T, K> order) {
        List<K> firstKeys = expected.stream().limit(most).map(order).toList();
        require(firstKeys.equals(actual.stream().map(order).toList()) && Set.copyOf(expected).containsAll(actual)
                && new HashSet<>(actual).size() == actual.size(), "The " + what + " should be (the first " + most + " of)",
                expected, actual);
    }

    private void checkNotices(BulkheadModel.Expected expected) {
        List<Notice> notices = newNotices();
        Map<String, HandOver> handedOver = new HashMap<>();
        Set<String> revoked = new HashSet<>();
        Set<String> free = new HashSet<>();
        List<Notice.LimitsDiffer> limits = new ArrayList<>();
        for (Notice notice : notices) {
            if (notice instanceof Notice.HandedOver it) {
                handedOver.put(it.permitId(), it.handOver());
            } else if (notice instanceof Notice.Revoked it) {
                revoked.add(it.permitId());
            } else if (notice instanceof Notice.PermitFree it) {
                free.add(it.permitId());
            } else if (notice instanceof Notice.LimitsDiffer it) {
                limits.add(it);
            }
        }
        require(handedOver.equals(expected.handedOver), "Handed over should be", expected.handedOver, handedOver);
        require(revoked.equals(expected.revoked), "Revoked should be", expected.revoked, revoked);
        require(expected.mayBeToldFree.containsAll(free) && free.size() >= expected.leastToldFree
                && free.size() <= expected.mostToldFree, "Told of a free permit should be",
                expected.leastToldFree + " to " + expected.mostToldFree + " of " + expected.mayBeToldFree, free);
        checkLimits(expected, limits);
    }

    private void checkLimits(BulkheadModel.Expected expected, List<Notice.LimitsDiffer> notices) {
        require(!notices.isEmpty() || !expected.mustTellLimits, "Differing limits should be told of",
                expected.stated + " and " + expected.certainOthers, notices);
        for (Notice.LimitsDiffer notice : notices) {
            require(notice.own() == expected.stated && !notice.others().isEmpty()
                    && notice.others().containsAll(expected.certainOthers)
                    && expected.possibleOthers.containsAll(notice.others()), "Differing limits should be",
                    expected.stated + " and " + expected.certainOthers + " to " + expected.possibleOthers, notice);
        }
    }

    private List<Notice> newNotices() {
        stores.settleNotices();
        List<Notice> all = Stream.of(stores.first(), stores.second()).distinct()
                .flatMap(store -> stores.notices(store).stream()).filter(this::isAboutThisRun).toList();
        // Each process has a list of its own, hence no common position up to which notices are known.
        List<Notice> fresh = new ArrayList<>(all);
        seen.forEach(fresh::remove);
        seen.clear();
        seen.addAll(all);
        return fresh;
    }

    private boolean isAboutThisRun(Notice notice) {
        if (notice instanceof Notice.LimitsDiffer it) {
            return it.bulkhead().equals(BulkheadId.of(name));
        }
        return !(notice instanceof Notice.NoticesMissed) && notice.toString().contains(suffix);
    }

    private void checkInvariants(Occupancy occupancy, boolean settled) {
        List<Holder> granted = occupancy.holders().stream().filter(holder -> !grantedUnder.containsKey(holder.ticket()))
                .sorted(Comparator.comparingLong(Holder::ticket)).toList();
        for (Holder holder : granted) {
            require(holder.ticket() > lastGranted, "Tickets must grow beyond", lastGranted, holder);
            lastGranted = holder.ticket();
            grantedUnder.put(holder.ticket(), limitOf(holder.permitId(), occupancy));
        }
        if (!granted.isEmpty()) {
            int limit = grantedUnder.get(lastGranted);
            require(occupancy.inUse() <= limit, "Nothing must be granted above the limit of", limit, occupancy);
        }
        int greatest = occupancy.holders().stream().mapToInt(holder -> grantedUnder.get(holder.ticket())).max().orElse(0);
        require(occupancy.inUse() <= greatest, "No more must be held than", greatest, occupancy);
        Optional<Waiter> head = occupancy.waiters().stream().filter(waiter -> waiter.ticket() > 0).findFirst();
        // One that claims the ticket of the head may come before it, and is served with the next step.
        boolean isShared = head.isPresent() && occupancy.waiters().stream()
                .filter(waiter -> waiter.ticket() == head.get().ticket()).count() > 1;
        require(!settled || head.isEmpty() || model.isGracePeriod() || isShared
                || occupancy.inUse() >= limitOf(head.get().permitId(), occupancy),
                "Nobody must wait while a permit is free, but there waits", head, occupancy);
    }

    private int limitOf(String id, Occupancy occupancy) {
        return occupancy.resizedTo().orElseGet(() -> requests.get(id).limit());
    }

    private static void require(boolean condition, String rule, Object expected, Object actual) {
        if (!condition) {
            throw new AssertionError(rule + ": " + expected + "; but was: " + actual);
        }
    }
}
