package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds the bulkheads in use by going through the keys of the server in small steps ({@code SCAN}), so that nothing has to be
 * written for it when permits are taken.
 */
public final class BulkheadScan {

    private static final int KEYS_PER_STEP = 1_000;
    private static final int MOST_STEPS = 100;

    private final String keyPrefix;
    private final boolean cluster;
    private final Function<Request, CompletionStage<Response>> send;

    /**
     * Scans for shares.
     *
     * @param topology each step is a call, and a later one may go over another connection
     */
    BulkheadScan(Topology topology) {
        this(topology.keyPrefix(), topology.isCluster(),
                command -> topology.send(new ServerCall<>("SCAN", null, connection -> connection.send(command))));
    }

    // One connection to a Redis Cluster does not see all keys.
    BulkheadScan(String keyPrefix, boolean cluster, Function<Request, CompletionStage<Response>> send) {
        this.keyPrefix = keyPrefix;
        this.cluster = cluster;
        this.send = send;
    }

    /**
     * Looks through the keys. Each step is a call of its own, so that the calls of others go in between, and silence is noticed
     * as for any other call.
     *
     * @param most how many bulkheads to list
     * @param known bulkheads whose keys may be long
     * @return the bulkheads; incomplete in a cluster, where the user may not scan, and where there are too many keys
     */
    public CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        if (cluster) {
            return CompletableFuture.completedStage(BulkheadsInUse.unknown(
                    "a Redis Cluster cannot list the bulkheads and keys that other instances use; only those of this "
                            + "instance are shown"));
        }
        return step("0", MOST_STEPS, new Found(known)).thenApply(found -> found.inUse(most)).exceptionallyCompose(failure -> {
            Throwable cause = Failures.cause(failure);
            return cause instanceof RefusedException refused && refused.reply().is("NOPERM")
                    ? CompletableFuture
                            .completedStage(BulkheadsInUse.unknown("the Redis user is not allowed to SCAN; bulkheads "
                                    + "and keys that other instances use are not shown. Grant the right with ACL "
                                    + "SETUSER <user> +scan"))
                    : CompletableFuture.failedStage(cause);
        });
    }

    private CompletionStage<Found> step(String cursor, int steps, Found found) {
        return send.apply(Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(BulkheadKeys.pattern(keyPrefix))
                .arg("COUNT").arg(KEYS_PER_STEP).arg("TYPE").arg("hash")).thenCompose(reply -> {
                    for (Response key : reply.get(1)) {
                        found.add(key.toString(StandardCharsets.UTF_8));
                    }
                    String next = reply.get(0).toString();
                    if (next.equals("0")) {
                        return CompletableFuture.completedStage(found);
                    }
                    if (steps == 1) {
                        found.allSeen = false;
                        return CompletableFuture.completedStage(found);
                    }
                    return step(next, steps - 1, found);
                });
    }

    private final class Found {

        private final SortedSet<BulkheadId> bulkheads = new TreeSet<>();
        private final Map<String, BulkheadId> knownDigests = new HashMap<>();
        private final Map<String, Integer> keysWithoutText = new TreeMap<>();
        private boolean allSeen = true;

        // SCAN may return the same key twice.
        private final SortedSet<String> digests = new TreeSet<>();

        private Found(Set<BulkheadId> known) {
            for (BulkheadId bulkhead : known) {
                BulkheadKeys keys = new BulkheadKeys(keyPrefix, bulkhead);
                if (keys.isDigest()) {
                    knownDigests.put(keys.shares(), bulkhead);
                }
            }
        }

        private void add(String redisKey) {
            Optional<BulkheadId> known = Optional.ofNullable(knownDigests.get(redisKey))
                    .or(() -> BulkheadKeys.idOf(keyPrefix, redisKey));
            if (known.isPresent()) {
                bulkheads.add(known.get());
            } else if (digests.add(redisKey)) {
                BulkheadKeys.nameOfDigest(keyPrefix, redisKey)
                        .ifPresent(name -> keysWithoutText.merge(name, 1, Integer::sum));
            }
        }

        private BulkheadsInUse inUse(int most) {
            Optional<String> incomplete = !allSeen
                    ? Optional.of("Redis has too many keys to scan all of them")
                    : bulkheads.size() > most ? Optional.of("only the first " + most + " of " + bulkheads.size() + " are shown")
                            : Optional.empty();
            return new BulkheadsInUse(bulkheads.stream().limit(most).toList(), keysWithoutText, incomplete);
        }
    }
}
