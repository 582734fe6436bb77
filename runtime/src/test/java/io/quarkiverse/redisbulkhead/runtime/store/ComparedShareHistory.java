package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares.Stored;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/**
 * A generated history that implementations of shares play in parallel. Four instances state positions that are right, late,
 * repeated, or wrong. A step is a seed, so that it can be removed without changing the others.
 */
final class ComparedShareHistory {

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final long[] PAUSES_MICROS = { 0, 0, 1, 999, 1_000, 7_300, 50_000, 199_999, 300_000, 999_500, 1_000_000,
            1_250_000, 2_000_000, 3_000_000, 3_000_001, 10_000_000, 61_000_000 };
    private static final long[] LEASES = { 100, 1_000, 2_500, 20_000, 300_000 };

    /** An instance as it knows itself. */
    private static final class Instance {

        private final String name;
        private long number;
        private long epoch;
        private long granted;
        private long returned;
        private long revoked;
        private long group;
        private boolean keeps;
        private long highestToken;
        private String server = "";
        private long serverSince = -1;
        private List<Need> needs = new ArrayList<>();
        private List<Statement.Hold> holds = new ArrayList<>();
        private final List<Statement> sent = new ArrayList<>();

        private Instance(String name) {
            this.name = name;
        }

        private void adopt(Position position) {
            returned = position.epoch() == epoch ? returned : 0;
            epoch = position.epoch();
            granted = position.granted();
            revoked = position.revoked();
            keeps = position.mayKeep();
            highestToken = Math.max(highestToken, position.firstToken() + position.tokens());
            server = position.server();
            holds = new ArrayList<>();
            List<Need> left = new ArrayList<>();
            for (Need need : needs) {
                long ticket = need.ticket() == 0 ? position.ticket() : need.ticket();
                if (ticket > position.served()) {
                    left.add(new Need(ticket, need.group(), need.weight(), need.count()));
                }
            }
            needs = left;
        }
    }

    private final List<ComparedShares> all;
    private final List<Instance> instances = new ArrayList<>();
    private final List<Stored> older = new ArrayList<>();
    private final List<String> holdIds = new ArrayList<>();
    private long micros = START_MICROS;
    private int run = 1;

    private ComparedShareHistory(List<ComparedShares> all) {
        this.all = all;
        for (String name : List.of("a", "b", "c", "d")) {
            instances.add(new Instance(name));
        }
        all.forEach(shares -> {
            shares.restore(Stored.NOTHING);
            shares.takeMessages();
        });
    }

    static List<Long> generate(long seed, int steps) {
        return new Random(seed).longs(steps).boxed().toList();
    }

    /** Plays the steps; returns the first difference. */
    static Optional<String> difference(List<ComparedShares> all, List<Long> steps) {
        ComparedShareHistory history = new ComparedShareHistory(all);
        for (int i = 0; i < steps.size(); i++) {
            List<String> text = new ArrayList<>();
            List<String> seen = history.step(new Random(steps.get(i)), text);
            for (int k = 1; k < seen.size(); k++) {
                if (!seen.get(k).equals(seen.get(0))) {
                    return Optional
                            .of("step " + i + " " + text + "\n  expected " + seen.get(0) + "\n  but was  " + seen.get(k));
                }
            }
        }
        return Optional.empty();
    }

    private List<String> step(Random random, List<String> text) {
        int kind = random.nextInt(100);
        if (kind < 25) {
            micros += PAUSES_MICROS[random.nextInt(PAUSES_MICROS.length)];
        }
        String runId = "run" + run;
        all.forEach(shares -> shares.at(micros, runId));
        List<Object> results = new ArrayList<>();
        if (kind < 80) {
            Instance instance = instances.get(random.nextInt(instances.size()));
            Statement statement = statement(instance, random);
            text.add(micros + " " + instance.name + " " + statement);
            all.forEach(shares -> results.add(shares.sync(instance.name, statement)));
            if (results.get(0) instanceof Position position && statement.number() == instance.number
                    && random.nextInt(10) < 8) {
                instance.adopt(position);
            }
        } else if (kind < 84) {
            String field = random.nextInt(3) == 0 || holdIds.isEmpty() ? "i:" + pick(instances, random).name
                    : "h:" + pick(holdIds, random);
            int permits = 1 + random.nextInt(2);
            text.add("revoke " + permits + " " + field);
            all.forEach(shares -> results.add(shares.revoke(field, permits)));
        } else if (kind < 87) {
            int limit = random.nextInt(5);
            text.add("resize " + limit);
            all.forEach(shares -> results.add(shares.resize(limit)));
        } else if (kind < 90) {
            text.add("look");
            all.forEach(shares -> results.add(shares.look(3)));
        } else {
            text.add(disturb(random));
        }
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            seen.add((results.isEmpty() ? "" : results.get(i)) + "\n    "
                    + all.get(i).takeMessages().stream().map(Object::toString).sorted().toList() + "\n    "
                    + all.get(i).stored());
        }
        return seen;
    }

    private static <T> T pick(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    private String disturb(Random random) {
        Stored now = all.get(0).stored();
        switch (random.nextInt(9)) {
            case 0 -> {
                return restored(Stored.NOTHING, "flush");
            }
            case 1 -> {
                return restored(now.withoutFields(), "evict the hash");
            }
            case 2 -> {
                return restored(now.withoutQueue(), "evict the queue");
            }
            case 3 -> {
                run++;
                instances.forEach(instance -> {
                    instance.server = "run" + run;
                    instance.serverSince = random.nextInt(3_000);
                });
                return older.isEmpty() ? "restart" : restored(pick(older, random), "failover to older data");
            }
            case 4 -> {
                run++;
                return "a new run that instances do not know";
            }
            case 5 -> {
                micros -= 1_000L * random.nextInt(5_000);
                return "clock set back";
            }
            case 6 -> {
                instances.forEach(instance -> instance.serverSince = -1);
                return "instances know no other run";
            }
            default -> {
                older.add(now);
                return "snapshot";
            }
        }
    }

    private String restored(Stored stored, String text) {
        all.forEach(shares -> shares.restore(stored));
        return text;
    }

    private Statement statement(Instance instance, Random random) {
        if (!instance.sent.isEmpty() && random.nextInt(10) == 0) {
            return pick(instance.sent, random);
        }
        long share = instance.granted - instance.returned - instance.revoked;
        List<Statement.Hold> holds = new ArrayList<>(instance.holds);
        if (share > 0 && random.nextInt(3) == 0) {
            int back = 1 + random.nextInt((int) Math.min(share, 5));
            instance.returned += back;
            if (random.nextInt(3) == 0) {
                String id = "p" + random.nextInt(6);
                holdIds.add(id);
                holds.add(new Statement.Hold(id, back, LEASES[random.nextInt(LEASES.length)], random.nextInt(1_000),
                        random.nextBoolean() ? "digest" : "", "Some.method(with, any text)"));
                instance.holds = holds;
            }
        }
        if (random.nextInt(4) == 0 && instance.needs.stream().noneMatch(need -> need.ticket() == 0)) {
            instance.needs.add(new Need(0, ++instance.group, 1 + random.nextInt(3), 1 + random.nextInt(3)));
        } else if (!instance.needs.isEmpty() && random.nextInt(4) == 0) {
            instance.needs.remove(random.nextInt(instance.needs.size()));
        }
        List<Need> immediate = new ArrayList<>();
        while (random.nextInt(4) == 0) {
            immediate.add(new Need(0, 0, 1 + random.nextInt(3), 1 + random.nextInt(2)));
        }
        List<Statement.Attach> attaches = new ArrayList<>();
        if (!holdIds.isEmpty() && random.nextInt(8) == 0) {
            attaches.add(new Statement.Attach(pick(holdIds, random), random.nextInt(5) == 0 ? "other" : "digest"));
        }
        boolean odd = random.nextInt(20) == 0;
        long granted = instance.granted + (odd ? random.nextInt(3) : 0);
        long epoch = random.nextInt(20) == 0 ? instance.epoch - random.nextInt(2) * instance.epoch : instance.epoch;
        long returned = instance.returned + (random.nextInt(200) == 0 ? 1_000 : 0);
        List<Need> needs = random.nextInt(30) == 0 && !instance.needs.isEmpty()
                ? List.of(new Need(START_MICROS + random.nextInt(1_000_000_000), 1, 1, 1))
                : List.copyOf(instance.needs);
        Statement statement = new Statement(ComparedShares.BULKHEAD, ++instance.number, epoch, granted, returned,
                instance.revoked, LEASES[random.nextInt(LEASES.length)], 2 + random.nextInt(2), instance.keeps,
                random.nextInt(3) > 0, needs, immediate, instance.highestToken,
                random.nextInt(10) == 0 ? random.nextInt(2_000_000) : 0, random.nextInt(10) == 0 ? "" : instance.server,
                instance.serverSince, List.copyOf(holds), attaches);
        instance.sent.add(statement);
        return statement;
    }
}
