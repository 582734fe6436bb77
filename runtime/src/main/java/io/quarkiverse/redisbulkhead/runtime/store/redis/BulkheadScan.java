package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds the bulkheads in use by going through the keys of the server in small steps ({@code SCAN}), so that nothing has to be
 * written for it when permits are taken. Each step is a call of its own, so that the calls of others go in between, and silence
 * is noticed as for any other call.
 */
final class BulkheadScan {

    private static final int KEYS_PER_STEP = 1_000;
    private static final int MOST_STEPS = 100;

    private final Topology topology;
    // SCAN may return the same key twice.
    private final Set<String> found = new TreeSet<>();
    /** Bulkheads whose long keys cannot be read from Redis, by the keys of their shares. */
    private final Map<String, BulkheadId> knownDigests = new HashMap<>();

    BulkheadScan(Topology topology) {
        this.topology = topology;
    }

    /**
     * Looks through the keys.
     *
     * @param most how many bulkheads to list
     * @param known bulkheads whose keys may be long
     * @return the bulkheads; incomplete in a cluster, where the user may not scan, and where there are too many keys
     */
    CompletionStage<BulkheadsInUse> inUse(int most, Set<BulkheadId> known) {
        known.forEach(bulkhead -> {
            BulkheadKeys keys = new BulkheadKeys(topology.keyPrefix(), bulkhead);
            if (keys.isDigest()) {
                knownDigests.put(keys.shares(), bulkhead);
            }
        });
        // One connection to a Redis Cluster does not see all keys.
        return topology.isCluster() ? CompletableFuture.completedStage(BulkheadsInUse.unknown(
                "a Redis Cluster cannot list the bulkheads and keys that other instances use; only those of this instance are "
                        + "shown"))
                : step("0", MOST_STEPS, most);
    }

    private CompletionStage<BulkheadsInUse> step(String cursor, int steps, int most) {
        Request scan = Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(BulkheadKeys.pattern(topology.keyPrefix()))
                .arg("COUNT").arg(KEYS_PER_STEP).arg("TYPE").arg("hash");
        return topology.send("SCAN", null, connection -> connection.send(scan).map(Optional::of).recover(BulkheadScan::denied))
                .thenCompose(reply -> {
                    if (reply.isEmpty()) {
                        return CompletableFuture.completedStage(BulkheadsInUse.unknown("the Redis user is not allowed to "
                                + "SCAN; bulkheads and keys that other instances use are not shown. Grant the right with "
                                + "ACL SETUSER <user> +scan"));
                    }
                    reply.get().get(1).forEach(key -> found.add(key.toString(StandardCharsets.UTF_8)));
                    String next = reply.get().get(0).toString();
                    return steps > 1 && !next.equals("0") ? step(next, steps - 1, most)
                            : CompletableFuture.completedStage(inUse(next.equals("0"), most));
                });
    }

    private static Future<Optional<Response>> denied(Throwable failure) {
        return ErrorReply.of(failure).filter(error -> error.is("NOPERM")).isPresent()
                ? Future.succeededFuture(Optional.empty())
                : Future.failedFuture(failure);
    }

    private Optional<BulkheadId> bulkhead(String key) {
        return Optional.ofNullable(knownDigests.get(key)).or(() -> BulkheadKeys.idOf(topology.keyPrefix(), key));
    }

    private BulkheadsInUse inUse(boolean allSeen, int most) {
        List<BulkheadId> bulkheads = found.stream().flatMap(key -> bulkhead(key).stream())
                .sorted().toList();
        TreeMap<String, Integer> keysWithoutText = found.stream()
                .filter(key -> !knownDigests.containsKey(key))
                .flatMap(key -> BulkheadKeys.nameOfDigest(topology.keyPrefix(), key).stream())
                .collect(Collectors.toMap(name -> name, name -> 1, Integer::sum, TreeMap::new));
        Optional<String> incomplete = !allSeen ? Optional.of("Redis has too many keys to scan all of them")
                : bulkheads.size() > most ? Optional.of("only the first " + most + " of " + bulkheads.size() + " are shown")
                        : Optional.empty();
        return new BulkheadsInUse(bulkheads.stream().limit(most).toList(), keysWithoutText, incomplete);
    }
}
