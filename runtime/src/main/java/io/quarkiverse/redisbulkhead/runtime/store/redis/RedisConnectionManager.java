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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.RedisReplicas;
import io.vertx.redis.client.RedisRole;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;

/**
 * Sends calls to the Redis server that has their data, over connections of its own: one server, the master that sentinels name,
 * or the
 * nodes of a cluster. The client's own cluster connection is not used, because one dead node ends it for all others.
 * <p>
 * A call is answered, refused by Redis, or given up because its server is away; it never hangs. See {@link RedisServer}.
 * <p>
 * Safe for use by many threads. All work is done on an event loop context of its own, and so never waits for a caller; a caller
 * may
 * block until an answer comes on any thread but an event loop.
 */
public final class RedisConnectionManager implements AutoCloseable {

    /** Told when what callers and waiters know of the store may have changed. */
    public interface Listener {

        /** A server has gone away, or is back. Called on an event loop; must not block. */
        void availabilityChanged();

        /**
         * A connection was opened again, or another node has the data; what was confirmed before may be gone. Called on an
         * event loop; must not block.
         */
        void reconnected();
    }

    private static final int MOST_TAKEN_IN = 1024;
    private static final int SLOTS = 16_384;
    private static final int REFRESH_MILLIS = 100;
    private static final int START_MILLIS = 10;
    // Commands under way at once gain nothing beyond this; the client's own bound is above it.
    private static final int MOST_IN_FLIGHT = 1024;

    private final Vertx vertx;
    private final Context context;
    private final RedisOptions options;
    private final String keyPrefix;
    private final long timeoutMillis;
    private final int connections;
    private final int inFlight;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<PendingCall<?>> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean takingIn = new AtomicBoolean();
    private volatile boolean closed;

    // All of these are touched on the context only.
    private final Set<RedisServer> toFlush = new LinkedHashSet<>();
    /** The only server; in a cluster any node that tells which node has what. */
    private final RedisServer first;
    /** The nodes of a cluster by their addresses. */
    private final Map<String, RedisServer> nodes = new HashMap<>();
    /** Which node has which slot; null until a node has told. */
    private String[] slots;
    private List<PendingCall<?>> unrouted = new ArrayList<>();
    private boolean refreshing;
    private boolean refreshAgain;
    private volatile List<String> endpoints;
    private int turn;

    /**
     * Opens nothing yet.
     *
     * @param vertx runs everything
     * @param options where Redis is and how to connect, as Quarkus made them from the configuration; not changed; null where
     *        the
     *        configuration does not say where Redis is
     * @param keyPrefix what all keys start with
     * @param commandTimeout after what silence a server is away
     * @param connections how many connections to each server there may be
     * @param pipelined whether a connection carries many commands at once, or one
     */
    public RedisConnectionManager(Vertx vertx, RedisOptions options, String keyPrefix, Duration commandTimeout, int connections,
            boolean pipelined) {
        this.vertx = vertx;
        this.context = ((VertxInternal) vertx).createEventLoopContext();
        this.options = own(options);
        this.keyPrefix = keyPrefix;
        this.timeoutMillis = Math.max(1, commandTimeout.toMillis());
        this.connections = connections;
        this.inFlight = pipelined ? MOST_IN_FLIGHT : 1;
        this.endpoints = options == null ? List.of() : List.copyOf(options.getEndpoints());
        this.first = isCluster() ? new RedisServer(vertx, context, "The Redis Cluster", this::clientOfAnyNode, keyPrefix,
                timeoutMillis, 1, MOST_IN_FLIGHT, new OfServer()) : newServer("Redis", this::newClient);
    }

    // Nobody else uses these connections, and each client has one of them. Permits are with the master.
    private static RedisOptions own(RedisOptions options) {
        return options == null ? null
                : new RedisOptions(options).setTracingPolicy(TracingPolicy.IGNORE).setPoolName("redis-bulkhead")
                        .setAutoFailover(false).setRole(RedisRole.MASTER).setUseReplicas(RedisReplicas.NEVER)
                        .setMaxWaitingHandlers(Math.max(2 * MOST_IN_FLIGHT, options.getMaxWaitingHandlers()));
    }

    private boolean isCluster() {
        return options != null && options.getType() == RedisClientType.CLUSTER;
    }

    private RedisServer newServer(String label, Supplier<Redis> clients) {
        return new RedisServer(vertx, context, label, clients, keyPrefix, timeoutMillis, connections, inFlight, new OfServer());
    }

    private Redis newClient() {
        if (options == null) {
            throw new IllegalStateException("nothing says where it is. Set quarkus.redis.hosts");
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
        return newClient(known.get(turn));
    }

    /** A client with a connection of its own; in a cluster to any node. To be closed by the caller. On the context. */
    Redis newClientForMessages() {
        return isCluster() ? newClient(endpoints.get(ThreadLocalRandom.current().nextInt(endpoints.size()))) : newClient();
    }

    Context context() {
        return context;
    }

    Vertx vertx() {
        return vertx;
    }

    /** Tells somebody more of changes from now on. */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Makes a call.
     *
     * @param call may be carried out more than once without harm
     * @param <T> what it is answered by
     * @return the answer; fails with {@link StoreException} when Redis refuses the call or is away
     */
    public <T> CompletionStage<RedisAnswer<T>> send(RedisCall<T> call) {
        PendingCall<T> pending = new PendingCall<>(call);
        if (closed) {
            pending.fail(stopping());
            return pending.answer;
        }
        inbox.add(pending);
        takeInSoon();
        return pending.answer;
    }

    static StoreException stopping() {
        return stopping(false);
    }

    static StoreException stopping(boolean outcomeUnknown) {
        return new StoreException("The application is stopping", outcomeUnknown, null);
    }

    // One task takes in what many callers bring, so that calls that come at once can go together.
    private void takeInSoon() {
        if (takingIn.compareAndSet(false, true)) {
            try {
                context.runOnContext(now -> takeIn());
            } catch (RuntimeException e) {
                // Vert.x has been closed.
                takingIn.set(false);
                for (PendingCall<?> call = inbox.poll(); call != null; call = inbox.poll()) {
                    call.fail(stopping());
                }
            }
        }
    }

    private void takeIn() {
        // First, so that a call that comes from now on is either seen below or starts another task.
        takingIn.set(false);
        PendingCall<?> call = inbox.poll();
        for (int taken = 1; call != null; taken++) {
            route(call);
            // Others have work on this event loop as well.
            call = taken < MOST_TAKEN_IN ? inbox.poll() : null;
        }
        if (!inbox.isEmpty()) {
            takeInSoon();
        }
        flush();
    }

    private void flush() {
        if (!toFlush.isEmpty()) {
            List<RedisServer> servers = List.copyOf(toFlush);
            toFlush.clear();
            servers.forEach(RedisServer::flush);
        }
    }

    private void submit(RedisServer server, PendingCall<?> call) {
        server.submit(call);
        toFlush.add(server);
    }

    private void route(PendingCall<?> call) {
        if (closed) {
            call.fail(stopping());
        } else if (!isCluster() || call.call().routingKey() == null) {
            submit(first, call);
        } else if (slots == null) {
            unrouted.add(call);
            refresh();
        } else {
            submit(node(slots[ZModem.generate(call.call().routingKey())]), call);
        }
    }

    // A slot without a node is one that no node has told of; any node answers what is wrong.
    private RedisServer node(String endpoint) {
        return endpoint == null ? first
                : nodes.computeIfAbsent(endpoint,
                        address -> newServer("Redis at " + addressOf(address), () -> newClient(address)));
    }

    private String endpointOf(RedisServer server) {
        return nodes.entrySet().stream().filter(node -> node.getValue() == server).map(Map.Entry::getKey).findFirst()
                .orElse(endpoints.get(0));
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
        PendingCall<ClusterSlots> question = new PendingCall<>(new SlotsCall(endpoints.get(0)));
        submit(first, question);
        question.answer.whenComplete((answer, failure) -> {
            List<PendingCall<?>> waiting = unrouted;
            unrouted = new ArrayList<>();
            if (failure == null) {
                accept(answer.value());
                waiting.forEach(this::route);
            } else {
                waiting.forEach(call -> call.fail((StoreException) failure));
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

    private void accept(ClusterSlots told) {
        boolean moved = slots != null && !Arrays.equals(slots, told.endpoints());
        slots = told.endpoints();
        endpoints = told.all();
        Set<String> masters = told.masters();
        List<String> gone = nodes.keySet().stream().filter(endpoint -> !masters.contains(endpoint)).toList();
        for (String endpoint : gone) {
            nodes.remove(endpoint).retire().forEach(this::route);
        }
        if (moved) {
            // Another node has the data, and may have less of it.
            listeners.forEach(Listener::reconnected);
        }
    }

    /**
     * Does something in the background.
     *
     * @param when tells from when on; asked now and then on an event loop
     * @param task must not block
     */
    public void later(BooleanSupplier when, Runnable task) {
        context.runOnContext(now -> {
            if (closed) {
                return;
            }
            if (when.getAsBoolean()) {
                task.run();
            } else {
                vertx.setTimer(START_MILLIS, timer -> later(when, task));
            }
        });
    }

    /** Connects in the background to all servers, so that the first calls need not wait for that. Never throws. */
    public void warmUp() {
        context.runOnContext(now -> {
            if (isCluster()) {
                send(new SlotsCall(endpoints.get(0))).whenComplete((answer, failure) -> {
                    if (failure == null && !closed) {
                        accept(answer.value());
                        answer.value().masters().forEach(endpoint -> node(endpoint).warmUp());
                    }
                });
            } else if (!closed) {
                first.warmUp();
            }
        });
    }

    private final class OfServer implements RedisServer.Listener {

        @Override
        public void availabilityChanged(RedisServer server) {
            listeners.forEach(Listener::availabilityChanged);
        }

        @Override
        public void reconnected(RedisServer server) {
            if (server != first || !isCluster()) {
                listeners.forEach(Listener::reconnected);
            }
        }

        @Override
        public void troubled(RedisServer server) {
            if (isCluster() && server != first && !closed) {
                refresh();
            }
        }

        @Override
        public void redirected(RedisServer server, PendingCall<?> call, ErrorReply.Redirection to) {
            if (!isCluster() || slots == null) {
                call.refuse(new ErrorReply("MOVED " + to.slot() + " " + to.host() + ":" + to.port()
                        + ", so this is a Redis Cluster: set quarkus.redis.client-type=cluster"));
                return;
            }
            String endpoint = ClusterSlots.endpoint(endpointOf(server), to.host(), to.port());
            call.asking = to.asking();
            if (!to.asking()) {
                refresh();
            }
            submit(node(endpoint), call);
            flush();
        }
    }

    /** Which node has which slot. */
    private record ClusterSlots(String[] endpoints, Set<String> masters, List<String> all) {

        private static ClusterSlots of(String asked, Response reply) {
            String[] bySlot = new String[SLOTS];
            Set<String> masters = new LinkedHashSet<>();
            Set<String> all = new LinkedHashSet<>();
            for (Response range : reply) {
                String master = null;
                for (int i = 2; i < range.size(); i++) {
                    Response host = range.get(i).get(0);
                    String endpoint = endpoint(asked, host == null ? "" : host.toString(), range.get(i).get(1).toInteger());
                    all.add(endpoint);
                    master = master == null ? endpoint : master;
                }
                masters.add(master);
                for (int slot = range.get(0).toInteger(); slot <= range.get(1).toInteger(); slot++) {
                    bySlot[slot] = master;
                }
            }
            if (all.isEmpty()) {
                throw new StoreException("The Redis Cluster has no slots yet", false, null);
            }
            return new ClusterSlots(bySlot, masters, List.copyOf(all));
        }

        /** Like another endpoint, with another address; a host that is not told is that of the other one. */
        private static String endpoint(String like, String host, int port) {
            int begin = like.lastIndexOf('@') + 1;
            begin = begin == 0 ? like.indexOf("://") + 3 : begin;
            int end = like.length();
            for (int i = begin; i < like.length(); i++) {
                if (like.charAt(i) == '/' || like.charAt(i) == '?') {
                    end = i;
                    break;
                }
            }
            String address = like.substring(begin, end);
            String old = address.replaceFirst(":\\d+$", "");
            String name = host.isEmpty() ? old : host.contains(":") ? "[" + host + "]" : host;
            return like.substring(0, begin) + name + ":" + port + like.substring(end);
        }
    }

    private record SlotsCall(String asked) implements RedisCall<ClusterSlots> {

        @Override
        public Future<ClusterSlots> over(RedisConnection connection) {
            return connection.send(Request.cmd(Command.CLUSTER).arg("SLOTS")).map(reply -> ClusterSlots.of(asked, reply));
        }

        @Override
        public String about() {
            return "the slots of the cluster";
        }
    }

    /** Gives up all calls and closes the connections. */
    @Override
    public void close() {
        closed = true;
        context.runOnContext(now -> {
            first.close();
            nodes.values().forEach(RedisServer::close);
            unrouted.forEach(call -> call.fail(stopping()));
            for (PendingCall<?> call = inbox.poll(); call != null; call = inbox.poll()) {
                call.fail(stopping());
            }
        });
    }
}
