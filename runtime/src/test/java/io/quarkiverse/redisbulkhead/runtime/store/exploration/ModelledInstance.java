package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/** The instance's half of the protocol, as the engine does it, in a form that can be copied and compared. */
final class ModelledInstance implements Cloneable {

    /** A deliberate defect of this half, which the exploration must find. */
    enum Slip {
        LEASE_BEGINS_WITH_THE_ANSWER,
        ANSWER_AFTER_THE_LEASE_COUNTS,
        OLDER_ANSWER_COUNTS,
        LATE_OFFER_COUNTS,
        RETURNED_PERMIT_IS_USED_AGAIN,
        PERMIT_SERVES_A_LATER_CALL,
        OLDER_TOKENS_STAY
    }

    /** A permit in use; the id is that with which it was attached, else empty. */
    record Execution(String id, int weight) {
    }

    /** A permit that leaves the share to stay on the server; counted when it has left. */
    record Leaving(String id, int weight, long end, String digest, boolean counted) {
    }

    static final long MARGIN = 50;
    private static final long OFFER = ShareStore.OFFER_MILLIS - MARGIN;

    final String name;
    private final Bounds bounds;
    private String text;

    boolean dead;
    int called;
    long run = 1;
    Statement inFlight;
    long sentAt;
    List<Need> needs = List.of();
    List<Integer> immediate = List.of();
    List<Execution> executions = List.of();
    List<Leaving> leaving = List.of();
    List<String> joining = List.of();
    boolean keeps;
    /**
     * Executions that lost their permits by an answer; the ids of permits that it has detached, or could not attach. Taken by
     * the model.
     */
    int lost;
    List<String> detached = List.of();
    List<String> notFound = List.of();
    /** The tokens of executions that began, in their order, and the tickets of those that had waited. Taken by the model. */
    List<Long> drawn = List.of();
    List<Long> begun = List.of();

    private long numbers;
    private long number;
    private long numberBefore;
    private long sentBefore;
    private long epoch;
    private long granted;
    private long offered;
    private long returned;
    private long revoked;
    private long leaseEnd;
    private long offerEnd;
    private int returning;
    private boolean unanswered;
    private boolean stale;
    private boolean othersWait;
    private long recalledNumber;
    private long served;
    private long groups;
    private long highestToken;
    private long nextToken;
    private long tokensLeft;
    private String server = "run1";
    private long serverSince = -1;

    ModelledInstance(String name, Bounds bounds) {
        this.name = name;
        this.bounds = bounds;
    }

    /** All lists are replaced, never changed. */
    ModelledInstance copy() {
        try {
            ModelledInstance copy = (ModelledInstance) clone();
            copy.text = null;
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** All of its state. To be called when it has made its move. */
    @Override
    public String toString() {
        if (text == null) {
            text = dead ? name + " is dead"
                    : name + " calls " + called + " uses " + executions + " share " + granted + "-" + returned + "-" + revoked
                            + " offered " + offered + " epoch " + epoch + " until " + leaseEnd + "/" + offerEnd + " returning "
                            + returning + " needs " + needs + immediate + leaving + joining + " run " + run + server
                            + serverSince + " sent " + number + "@" + sentAt + "," + numberBefore + "@"
                            + sentBefore + "," + numbers + " in flight " + (inFlight == null ? 0 : inFlight.hashCode())
                            + (unanswered ? " unanswered" : "") + (stale ? " stale" : "") + (keeps ? " keeps" : "")
                            + (othersWait ? " others wait" : "") + " served " + served + " recalled " + recalledNumber
                            + " groups " + groups + " tokens " + highestToken + "," + nextToken + "," + tokensLeft;
        }
        return text;
    }

    private boolean slips(Slip slip) {
        return bounds.slip() == slip;
    }

    // ---- The share

    int share() {
        return (int) (granted - returned - revoked);
    }

    int confirmed() {
        return share() - (int) offered;
    }

    private int inUse() {
        int sum = 0;
        for (Execution each : executions) {
            sum += each.weight;
        }
        for (Leaving each : leaving) {
            sum += each.counted ? 0 : each.weight;
        }
        return sum;
    }

    int idle() {
        return Math.min(share(), bounds.limit()) - inUse() - (slips(Slip.RETURNED_PERMIT_IS_USED_AGAIN) ? 0 : returning);
    }

    private long validUntil() {
        return offered == 0 ? leaseEnd
                : offered == share() ? offerEnd : Math.min(leaseEnd, offerEnd);
    }

    /** What it may use at this instant, whether it has noticed or not. */
    int used(long now) {
        if (dead || share() <= 0) {
            return 0;
        }
        return now < validUntil() ? inUse() : now < leaseEnd ? Math.min(inUse(), confirmed()) : 0;
    }

    private void giveBack(int permits) {
        returned += permits;
        offered = Math.max(0, offered - permits);
    }

    private int loseBeyond(int most) {
        int losses = 0;
        List<Execution> left = new ArrayList<>(executions);
        for (int use = inUse(); use > most && !left.isEmpty(); losses++) {
            use -= left.remove(left.size() - 1).weight;
        }
        executions = left;
        return losses;
    }

    /** Looks at the clock, as it must before anything else. */
    void notice(long now) {
        if (share() <= 0 || now < validUntil()) {
            return;
        }
        if (offered > 0 && confirmed() > 0 && now < leaseEnd) {
            int confirmed = confirmed();
            returning = Math.max(0, Math.min(returning, confirmed - inUse()));
            loseBeyond(confirmed);
            giveBack((int) offered);
        } else {
            leaseOver();
        }
        stale = true;
    }

    private void leaseOver() {
        executions = List.of();
        inFlight = null;
        epoch = 0;
        granted = 0;
        returned = 0;
        revoked = 0;
        offered = 0;
        returning = 0;
        keeps = false;
        stale = true;
        leaving = leaving.stream().filter(each -> each.counted || each.digest.isEmpty())
                .map(each -> new Leaving(each.id, each.weight, each.end, each.digest, true)).toList();
    }

    // ---- Calls

    /** A negative weight is that of a call that does not wait. */
    void call(int signed, long now) {
        called++;
        notice(now);
        int weight = Math.abs(signed);
        if (needs.isEmpty() && !othersWait && idle() >= weight && tokensLeft > 0 && now < validUntil()) {
            start(weight);
        } else if (signed < 0) {
            immediate = with(immediate, weight);
            stale = true;
        } else {
            needs = with(needs, new Need(0, ++groups, weight, 1));
            stale = true;
        }
    }

    boolean hasUnplacedCall() {
        return !immediate.isEmpty() || !needs.isEmpty() && needs.get(needs.size() - 1).ticket() == 0;
    }

    private void start(int weight) {
        executions = with(executions, new Execution("", weight));
        drawn = with(drawn, nextToken++);
        tokensLeft--;
    }

    void giveUp(int need) {
        needs = without(needs, need);
        stale = true;
    }

    /** The oldest execution ends; how is up to the id, which is empty for a usual end. */
    void end(String id, String digest, long holdEnd, long now) {
        notice(now);
        if (executions.isEmpty()) {
            return;
        }
        Execution ended = executions.get(0);
        executions = without(executions, 0);
        if (!id.isEmpty()) {
            leaving = with(leaving, new Leaving(id, ended.weight, holdEnd, digest, false));
        } else {
            returning += keeps ? 0 : Math.min(ended.weight, share() - inUse() - returning);
            serve(0);
        }
    }

    private void serve(int fresh) {
        int left = fresh;
        while (!needs.isEmpty() && idle() >= needs.get(0).weight() && tokensLeft > 0 && mayServe(needs.get(0))) {
            int weight = needs.get(0).weight();
            stale |= weight > left;
            left -= weight;
            start(weight);
            begun = with(begun, needs.get(0).ticket());
            needs = without(needs, 0);
        }
    }

    private boolean mayServe(Need need) {
        return !othersWait || need.ticket() != 0 && need.ticket() <= served || slips(Slip.PERMIT_SERVES_A_LATER_CALL);
    }

    void attach(String id) {
        joining = with(joining, id);
    }

    // ---- Stating

    boolean hasToState() {
        boolean concerned = epoch != 0 || !needs.isEmpty() || !immediate.isEmpty();
        return inFlight == null && (stale || unanswered && concerned || offered > 0 || returning > 0
                || idle() > 0 && (!keeps || !needs.isEmpty()) || !leaving.isEmpty() || !joining.isEmpty());
    }

    Statement state(long now) {
        numberBefore = number;
        sentBefore = sentAt;
        number = ++numbers;
        sentAt = now;
        int back = returning;
        returning = 0;
        int idle = share() - inUse() - back;
        back += !unanswered && idle > 0 && (!keeps || !needs.isEmpty()) ? idle : 0;
        giveBack(back);
        for (Leaving each : leaving) {
            if (!each.counted) {
                giveBack(each.weight);
            }
        }
        leaving = leaving.stream().map(each -> new Leaving(each.id, each.weight, each.end, each.digest, true)).toList();
        stale = false;
        int tokens = !needs.isEmpty() || !immediate.isEmpty() || tokensLeft <= 0 && share() > 0 ? 1 : 0;
        inFlight = new Statement(ComparedShares.BULKHEAD, number, epoch, granted, returned, revoked, bounds.leaseMillis(),
                bounds.limit(), keeps, bounds.keepsIdle(), needs,
                immediate.stream().map(weight -> new Need(0, 0, weight, 1)).toList(), highestToken, tokens,
                server, serverSince < 0 ? -1 : now - serverSince,
                leaving.stream().map(each -> new Statement.Hold(each.id, each.weight, Math.max(1, each.end - now), 0,
                        each.digest, "m")).toList(),
                joining.stream().map(id -> new Statement.Attach(id, "digest")).toList());
        return inFlight;
    }

    /** A renewal is due, or another look. */
    boolean isTimeToState(long now) {
        return inFlight == null && (share() > 0 && (sentAt + bounds.leaseMillis() / 3 <= now || now >= validUntil())
                || !needs.isEmpty() && sentAt + 1_000 <= now || !immediate.isEmpty() && sentAt < now);
    }

    void timer(long now) {
        notice(now);
        stale = true;
    }

    void returnIdle() {
        returning += Math.max(0, idle());
    }

    void timeOut() {
        inFlight = null;
        unanswered = true;
    }

    void reconnect(long toRun, long now) {
        run = toRun;
        serverSince = now;
        unanswered |= inFlight != null;
        inFlight = null;
        number = 0;
        stale = true;
        server = "run" + toRun;
    }

    // ---- Answers and messages

    void answer(Position position, long now) {
        boolean isOlder = inFlight == null || position.number() != inFlight.number();
        if (isOlder && !(slips(Slip.OLDER_ANSWER_COUNTS) && inFlight != null)) {
            return;
        }
        notice(now);
        if (inFlight == null) {
            return;
        }
        Statement statement = inFlight;
        inFlight = null;
        long begin = slips(Slip.LEASE_BEGINS_WITH_THE_ANSWER) ? now : sentAt;
        long newEnd = begin + position.leaseMillis() - MARGIN;
        boolean isOver = position.granted() > 0 && position.leaseMillis() > 0 && newEnd <= now
                && !slips(Slip.ANSWER_AFTER_THE_LEASE_COUNTS);
        if (epoch != statement.epoch() || isOver) {
            leaseOver();
            return;
        }
        unanswered = false;
        int before = share();
        boolean isNewEpoch = position.epoch() != epoch;
        boolean grants = takeCounters(statement, position);
        leaseEnd = newEnd;
        othersWait = position.othersWait();
        served = Math.max(served, position.served());
        keeps = position.mayKeep() && position.number() > recalledNumber;
        returning = keeps ? 0 : returning;
        takeTokens(grants || isNewEpoch, position.firstToken(), position.tokens());
        highestToken = Math.max(highestToken, position.ticket());
        server = position.server();
        long stated = statement.needs().stream().filter(need -> need.ticket() == 0).mapToLong(Need::group).sum();
        needs = needs.stream().map(need -> need.ticket() == 0 && need.group() == stated && position.ticket() > 0
                ? new Need(position.ticket(), stated, need.weight(), 1)
                : need).toList();
        settle(statement, position);
        serve(grants ? share() - before : 0);
        settleImmediate(statement.immediate().size(), position);
        stale |= tokensLeft <= 0 && idle() > 0 && !needs.isEmpty();
    }

    private boolean takeCounters(Statement statement, Position position) {
        if (position.epoch() == epoch) {
            long more = Math.max(0, position.granted() - granted);
            granted += more;
            offered = Math.min(offered, granted - position.granted());
            long less = Math.max(0, position.revoked() - revoked);
            revoked += less;
            returning = less == 0 ? returning : Math.max(0, Math.min(returning, share() - inUse()));
            lost += loseBeyond(share());
            return more > 0;
        }
        long meanwhile = returned - statement.returned();
        epoch = position.epoch();
        granted = position.granted();
        returned = meanwhile;
        revoked = position.revoked();
        offered = 0;
        int admitted = (int) Math.max(0, position.admitted() - meanwhile);
        lost += loseBeyond(admitted);
        returning = Math.min(returning, Math.max(0, admitted - inUse()));
        return position.granted() > position.admitted();
    }

    private void takeTokens(boolean grants, long first, int count) {
        if (grants && !slips(Slip.OLDER_TOKENS_STAY)) {
            tokensLeft = 0;
        }
        if (count > 0 && first > highestToken && (tokensLeft == 0 || !slips(Slip.OLDER_TOKENS_STAY))) {
            nextToken = first;
            tokensLeft = count;
            highestToken = first + count - 1;
        }
    }

    private void settle(Statement statement, Position position) {
        List<String> ids = statement.holds().stream().map(Statement.Hold::id).toList();
        for (Statement.Hold hold : statement.holds()) {
            if (!hold.digest().isEmpty() && !Position.Attached.REFUSED.equals(position.attached().get(hold.id()))) {
                detached = with(detached, hold.id());
            }
        }
        leaving = leaving.stream().filter(each -> !ids.contains(each.id)).toList();
        for (Statement.Attach attach : statement.attaches()) {
            joining = joining.stream().filter(id -> !id.equals(attach.id())).toList();
            Position.Attached found = position.attached().get(attach.id());
            if (found != null) {
                executions = with(executions, new Execution(attach.id(), found.weight()));
            } else {
                notFound = with(notFound, attach.id());
            }
        }
    }

    private void settleImmediate(int stated, Position position) {
        for (int i = 0; i < stated && !immediate.isEmpty(); i++) {
            int weight = immediate.get(0);
            if (needs.isEmpty() && idle() >= weight && tokensLeft > 0 && !othersWait) {
                start(weight);
            } else if (position.graceMillis() > 0) {
                return;
            } else if (position.recalled() > 0 && !hasUnplacedNeed()) {
                needs = with(needs, new Need(0, ++groups, weight, 1));
                stale = true;
            }
            immediate = without(immediate, 0);
        }
    }

    private boolean hasUnplacedNeed() {
        return !needs.isEmpty() && needs.get(needs.size() - 1).ticket() == 0;
    }

    void hear(ShareMessage message, long now) {
        notice(now);
        stale = true;
        if (message instanceof ShareMessage.Granted offer) {
            takeOffer(offer, now);
        } else if (message instanceof ShareMessage.Recalled recall) {
            keeps = false;
            recalledNumber = Math.max(recalledNumber, Math.min(recall.number(), number));
        }
    }

    private void takeOffer(ShareMessage.Granted offer, long now) {
        long basis = offer.number() == number ? sentAt : sentBefore;
        boolean isRecent = offer.number() == number || offer.number() == numberBefore;
        long more = offer.granted() - granted;
        boolean isLate = (!isRecent || basis + OFFER <= now) && !slips(Slip.LATE_OFFER_COUNTS);
        boolean isOther = offer.epoch() != epoch;
        if (isLate || epoch == 0 || isOther || more <= 0 || offer.revoked() != revoked || !joining.isEmpty()) {
            return;
        }
        long end = slips(Slip.LATE_OFFER_COUNTS) ? now + OFFER : basis + OFFER;
        granted = offer.granted();
        offerEnd = offered == 0 ? end : Math.min(offerEnd, end);
        offered += more;
        served = Math.max(served, offer.served());
        othersWait = offer.othersWait();
        takeTokens(true, offer.firstToken(), offer.tokens());
        serve((int) more);
    }

    private static <T> List<T> with(List<T> list, T more) {
        List<T> all = new ArrayList<>(list);
        all.add(more);
        return all;
    }

    private static <T> List<T> without(List<T> list, int index) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(index);
        return rest;
    }
}
