package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.RedisReplicas;
import io.vertx.redis.client.RedisRole;

/**
 * Sends calls over its own connections to the Redis server that has their data: a single server, the master that the
 * sentinels name, or a node of a cluster. The client's cluster connection is not used, because one dead node breaks it for
 * all.
 * <p>
 * Every call completes: with a reply, an error, or an outage. See {@link RedisServer}.
 * <p>
 * Thread-safe. Works on its own event loop context, so do not block on an answer on an event loop.
 */
public final class RedisConnectionManager implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisConnectionManager.class);

    private static final int MAX_DRAINED = 1024;
    private static final int REFRESH_MILLIS = 100;
    // More commands in flight do not raise throughput.
    private static final int MAX_IN_FLIGHT = 1024;

    private final Vertx vertx;
    private final Context context;
    private final RedisOptions options;
    private final String properties;
    private final String keyPrefix;
    private final long timeoutMillis;
    private final int connections;
    private final int inFlight;
    private final List<Consumer<Notice>> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean draining = new AtomicBoolean();
    private volatile boolean closed;

    // All of these are touched on the context only.
    private final Set<RedisServer> toFlush = new LinkedHashSet<>();
    /** The only server; in a cluster, the node that is asked for slots. */
    private final RedisServer entryServer;
    /** The nodes of a cluster by their addresses. */
    private final Map<String, RedisServer> nodes = new HashMap<>();
    /** Which node has which slot; null until a node has replied. */
    private ClusterSlots slots;
    private List<RedisCall<?>> unrouted = new ArrayList<>();
    private boolean refreshing;
    private boolean refreshAgain;
    private boolean nodeFailed;
    private List<String> endpoints;
    private String entryEndpoint;
    private int turn;
    private int turnForMessages;

    /**
     * Opens nothing yet.
     *
     * @param vertx runs everything
     * @param options where Redis is and how to connect, as Quarkus made them from the configuration; not changed; null where
     *        the configuration does not say where Redis is
     * @param properties what the properties of the Redis client start with, for messages: {@code quarkus.redis}
     * @param keyPrefix what all keys start with
     * @param commandTimeout after what silence a server is away
     * @param connections how many connections to each server there may be
     * @param pipelined whether a connection carries many commands at once, or one
     */
    public RedisConnectionManager(Vertx vertx, RedisOptions options, String properties, String keyPrefix,
            Duration commandTimeout, int connections,
            boolean pipelined) {
        this.vertx = vertx;
        this.context = ((VertxInternal) vertx).createEventLoopContext();
        this.options = ownOptions(options);
        this.properties = properties;
        this.keyPrefix = keyPrefix;
        this.timeoutMillis = Math.max(1, commandTimeout.toMillis());
        this.connections = connections;
        this.inFlight = pipelined ? MAX_IN_FLIGHT : 1;
        this.endpoints = options == null ? List.of() : List.copyOf(options.getEndpoints());
        this.entryServer = isCluster()
                ? new RedisServer(this, "The Redis Cluster", this::clientOfAnyNode, 1, MAX_IN_FLIGHT)
                : newServer("Redis", this::newClient);
    }

    // Connections are not shared, and permits live on the master.
    private static RedisOptions ownOptions(RedisOptions options) {
        return options == null ? null
                : new RedisOptions(options).setTracingPolicy(TracingPolicy.IGNORE).setPoolName("redis-bulkhead")
                        .setAutoFailover(false).setRole(RedisRole.MASTER).setUseReplicas(RedisReplicas.NEVER)
                        .setMaxWaitingHandlers(Math.max(2 * MAX_IN_FLIGHT, options.getMaxWaitingHandlers()));
    }

    boolean isCluster() {
        return options != null && options.getType() == RedisClientType.CLUSTER;
    }

    private RedisServer newServer(String label, Supplier<Redis> clients) {
        return new RedisServer(this, label, clients, connections, inFlight);
    }

    private Redis newClient() {
        if (options == null) {
            throw new IllegalStateException("its address is not configured. Set " + properties + ".hosts");
        }
        return Redis.createClient(vertx, options);
    }

    private Redis newClient(String endpoint) {
        return Redis.createClient(vertx,
                new RedisOptions(options).setType(RedisClientType.STANDALONE).setEndpoints(List.of(endpoint)));
    }

    private Redis clientOfAnyNode() {
        List<String> known = endpoints;
        turn = (turn + 1) % known.size();
        entryEndpoint = known.get(turn);
        return newClient(entryEndpoint);
    }

    /** A client with a connection of its own; in a cluster to any node. To be closed by the caller. On the context. */
    Redis newClientForMessages() {
        turnForMessages++;
        return isCluster() ? newClient(endpoints.get(turnForMessages % endpoints.size())) : newClient();
    }

    Context context() {
        return context;
    }

    Vertx vertx() {
        return vertx;
    }

    String properties() {
        return properties;
    }

    /** What all keys start with. */
    public String keyPrefix() {
        return keyPrefix;
    }

    long timeoutMillis() {
        return timeoutMillis;
    }

    /** What ends a call that has waited for too long although Redis answers others. */
    StoreException overloaded(String label, boolean outcomeUnknown) {
        return new StoreException(label + " is overloaded: no reply for " + RedisServer.MAX_TIMEOUTS * timeoutMillis
                + " ms, although it answers other calls", outcomeUnknown, null);
    }

    /**
     * Adds a listener.
     *
     * @param listener receives {@link Notice.Reconnected} when a connection was opened again or another node has the data, and
     *        {@link Notice.NoticesMissed} when a server has become unavailable, or available again; on an event loop, so it
     *        must not block
     */
    public void listen(Consumer<Notice> listener) {
        listeners.add(listener);
    }

    /**
     * Makes a call.
     *
     * @param call may be carried out more than once without harm
     * @param <T> what it is answered by
     * @return the answer; fails with {@link StoreException} when Redis refuses the call or is away
     */
    public <T> CompletionStage<T> send(RedisCall<T> call) {
        execute(() -> submit(call));
        return call.result();
    }

    static StoreException stopping(boolean outcomeUnknown) {
        return new StoreException("The application is stopping", outcomeUnknown, null);
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Runs a task on the context, together with those of other callers, and then sends what they submitted. When this is
     * closed, the task runs at once on the thread of the caller. What a task throws is logged.
     */
    void execute(Runnable task) {
        if (closed) {
            run(task);
        } else {
            inbox.add(task);
            scheduleDrain();
        }
    }

    private void scheduleDrain() {
        if (draining.compareAndSet(false, true)) {
            try {
                context.runOnContext(now -> drainInbox());
            } catch (RuntimeException e) {
                // Vert.x has been closed, and the connections with it.
                closed = true;
                draining.set(false);
                runAll();
            }
        }
    }

    private void runAll() {
        for (Runnable task = inbox.poll(); task != null; task = inbox.poll()) {
            run(task);
        }
    }

    // Tasks of other callers follow, so an exception must not end the loop.
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A task on the event loop of the Redis connections failed", e);
        }
    }

    private void drainInbox() {
        // First, so that a task that comes from now on is either seen below or starts another drain.
        draining.set(false);
        Runnable task = inbox.poll();
        for (int taken = 1; task != null; taken++) {
            run(task);
            // Yield to other work of this event loop.
            task = taken < MAX_DRAINED ? inbox.poll() : null;
        }
        if (!inbox.isEmpty()) {
            scheduleDrain();
        }
        flush();
    }

    /** Sends what was submitted. On the context. */
    void flush() {
        if (!toFlush.isEmpty()) {
            List<RedisServer> servers = List.copyOf(toFlush);
            toFlush.clear();
            for (RedisServer server : servers) {
                server.flush();
            }
        }
    }

    /** Takes a call that {@link #flush} sends. On the context. */
    void submit(RedisCall<?> call) {
        byte[] key = isCluster() ? call.routingKey() : null;
        if (closed) {
            call.fail(stopping(false));
        } else if (key == null) {
            submit(entryServer, call);
        } else if (slots == null) {
            unrouted.add(call);
            refresh();
        } else {
            submit(node(slots.node(key)), call);
        }
    }

    private void submit(RedisServer server, RedisCall<?> call) {
        server.submit(call);
        toFlush.add(server);
    }

    // For an unassigned slot, any node returns the error.
    private RedisServer node(String endpoint) {
        return endpoint == null ? entryServer
                : nodes.computeIfAbsent(endpoint,
                        address -> newServer("Redis at " + addressOf(address), () -> newClient(address)));
    }

    private String endpointOf(RedisServer server) {
        return nodes.entrySet().stream().filter(node -> node.getValue() == server).map(Map.Entry::getKey).findFirst()
                .orElse(entryEndpoint);
    }

    private static String addressOf(String endpoint) {
        return endpoint.replaceFirst("^.*@", "").replaceFirst("^\\w+://", "");
    }

    /** Asks a node which node has which slot. Calls that cannot be routed without that wait for the answer, or fail with it. */
    private void refresh() {
        if (refreshing) {
            refreshAgain = true;
            return;
        }
        refreshing = true;
        RedisCall<ClusterSlots> request = ClusterSlots.request(() -> entryEndpoint);
        submit(entryServer, request);
        request.result().whenComplete((reported, failure) -> {
            List<RedisCall<?>> waiting = unrouted;
            unrouted = new ArrayList<>();
            if (failure == null) {
                boolean moved = accept(reported);
                waiting.forEach(this::submit);
                if (nodeFailed && !moved) {
                    // Another node may know more.
                    entryServer.moveOn();
                }
                nodeFailed = false;
            } else {
                waiting.forEach(call -> call.fail(failure));
            }
            flush();
            vertx.setTimer(REFRESH_MILLIS, timer -> {
                refreshing = false;
                if (refreshAgain && !closed) {
                    refreshAgain = false;
                    refresh();
                    flush();
                }
            });
        });
        flush();
    }

    /** Whether anything has changed. */
    private boolean accept(ClusterSlots reported) {
        boolean moved = slots != null && !Arrays.equals(slots.bySlot(), reported.bySlot());
        slots = reported;
        endpoints = reported.nodes();
        Set<String> masters = reported.masters();
        List<String> gone = nodes.entrySet().stream()
                .filter(node -> !masters.contains(node.getKey()) && node.getValue().mayRetire())
                .map(Map.Entry::getKey).toList();
        for (String endpoint : gone) {
            nodes.remove(endpoint).retire().forEach(this::submit);
        }
        if (moved) {
            // Another node has the data, and may have less of it.
            listeners.forEach(listener -> listener.accept(new Notice.Reconnected()));
            availabilityChanged();
        }
        return moved;
    }

    /** In a cluster, connects to all masters, so that the first calls need not wait for that. */
    public void warmUp() {
        if (isCluster()) {
            send(ClusterSlots.request(() -> entryEndpoint)).thenAccept(reported -> {
                if (!closed) {
                    accept(reported);
                    reported.masters().forEach(endpoint -> node(endpoint).warmUp());
                }
            });
        }
    }

    // ---- What servers report, on the context

    /** A server has become unavailable, or available again. */
    void availabilityChanged() {
        listeners.forEach(listener -> listener.accept(new Notice.NoticesMissed()));
    }

    /** A connection was opened again after another one was lost. */
    void reconnected(RedisServer server) {
        if (server != entryServer || !isCluster()) {
            listeners.forEach(listener -> listener.accept(new Notice.Reconnected()));
        }
    }

    /** A connection was lost or could not be opened; in a cluster another node may have taken over. */
    void connectionFailed(RedisServer server) {
        if (isCluster() && server != entryServer && !closed) {
            nodeFailed = true;
            refresh();
        }
    }

    /** Another node of the cluster has the data. */
    void redirected(RedisServer server, RedisCall<?> call, ErrorReply.Redirection to) {
        call.asking = to.asking();
        if (!to.asking()) {
            refresh();
        }
        submit(node(ClusterSlots.endpoint(endpointOf(server), to.host(), to.port())), call);
        flush();
    }

    /** Gives up all calls and closes the connections. */
    @Override
    public void close() {
        closed = true;
        context.runOnContext(now -> {
            entryServer.close();
            nodes.values().forEach(RedisServer::close);
            unrouted.forEach(call -> call.fail(stopping(false)));
            runAll();
        });
    }
}
