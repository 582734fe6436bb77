package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.RedisReplicas;
import io.vertx.redis.client.RedisRole;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;

/**
 * Knows which server has which key: the only one, the master that the sentinels name (they are asked for each connection), or
 * the node of a cluster that has the slot. The client's cluster connection is not used, because one dead node breaks it for
 * all.
 * <p>
 * A call is sent once, and fails with its connection; only a call that a node of a cluster refers to another node follows. See
 * {@link RedisNode} and {@link ServerConnection}.
 * <p>
 * Thread-safe. Works on its own event loop context, so do not block on an answer on an event loop.
 */
public final class Topology implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Topology.class);

    static final String STOPPING = "The application is stopping";

    /** What comes before the host, the host, its port, and what follows. A password may hold an @. */
    private static final Pattern ENDPOINT = Pattern.compile("(\\w+://(?:.*@)?)([^/?]*?)(?::\\d+)?([/?].*)?");

    // Much may happen together.
    private static final int REFRESH_MILLIS = 100;
    private static final int FIRST_REFRESH_MILLIS = 10;
    // More commands in flight do not raise throughput.
    static final int MAX_IN_FLIGHT = 1024;
    private static final int MAX_REDIRECTS = 16;
    private static final int LONGEST_REDIRECT_PAUSE_MILLIS = 150;
    private static final int SLOTS_OF_A_CLUSTER = 16_384;

    final Vertx vertx;
    final ContextInternal context;
    /** What the properties of the Redis client start with. */
    final String properties;
    /** What all keys start with. */
    final String keyPrefix;
    final long timeoutMillis;
    private final RedisOptions options;
    private final boolean pipelined;
    private volatile ConnectionListener listener = new ConnectionListener() {
    };
    private volatile boolean closed;

    // All of these are touched on the context only.

    /** The only server; in a cluster, the node that is asked for slots. */
    private final RedisNode entryNode;
    /** The nodes of a cluster by their addresses. */
    private final Map<String, RedisNode> nodes = new HashMap<>();
    /** The address of the node that has each slot, null for none; null until a node has replied. */
    private String[] nodeBySlot;
    /**
     * When another server, or another run of it, was found to have the data of each slot; null for a slot for which this
     * instance has never seen that. A server that is part of no cluster has one slot.
     */
    private final Long[] newServerNanos;
    private boolean refreshing;
    private List<String> endpoints;
    private int turn;

    /**
     * Opens nothing yet.
     *
     * @param vertx runs everything
     * @param options where Redis is and how to connect, as Quarkus made them from the configuration; not changed; null where
     *        the configuration does not say where Redis is
     * @param properties what the properties of the Redis client start with, for messages: {@code quarkus.redis}
     * @param keyPrefix what all keys start with
     * @param commandTimeout after what silence a server is away
     * @param pipelined whether one connection to each server carries many calls concurrently, or several carry one call each
     */
    public Topology(Vertx vertx, RedisOptions options, String properties, String keyPrefix, Duration commandTimeout,
            boolean pipelined) {
        this.vertx = vertx;
        this.context = ((VertxInternal) vertx).createEventLoopContext();
        this.options = ownOptions(options);
        this.properties = properties;
        this.keyPrefix = keyPrefix;
        this.timeoutMillis = Math.max(1, commandTimeout.toMillis());
        this.pipelined = pipelined;
        this.newServerNanos = new Long[isCluster() ? SLOTS_OF_A_CLUSTER : 1];
        this.endpoints = options == null ? List.of() : List.copyOf(options.getEndpoints());
        this.entryNode = new RedisNode(this, isCluster() ? "Redis Cluster" : "Redis", null, pipelined);
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

    /** A node of the cluster, another one each time; null when the client finds the server. */
    String nextEndpoint() {
        if (!isCluster()) {
            return null;
        }
        turn = (turn + 1) % endpoints.size();
        return endpoints.get(turn);
    }

    /** A client of a node of the cluster, or of the server. To be closed by the caller. */
    Redis newClient(String endpoint) {
        if (options == null) {
            throw new IllegalStateException("its address is not configured. Set " + properties + ".hosts");
        }
        return Redis.createClient(vertx, endpoint == null ? options
                : new RedisOptions(options).setType(RedisClientType.STANDALONE).setEndpoints(List.of(endpoint)));
    }

    /** Runs a task on the context, after a pause. If that is over because this process paused, the event loop reads first. */
    void after(long millis, Runnable task) {
        vertx.setTimer(Math.max(1, millis), timer -> vertx.setTimer(1, read -> task.run()));
    }

    /** Sets the listener. Called once, before the first call. */
    void listen(ConnectionListener to) {
        listener = to;
    }

    /** Reports an event. Never throws: the state of connections must not depend on listeners. */
    void report(Consumer<ConnectionListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException e) {
            LOG.error("Failed to process an event of the connection to Redis. " + LogMessage.UNEXPECTED, e);
        }
    }

    // ---- Calls

    /**
     * Makes a call, which is sent behind all that was sent before without waiting for replies. Calls that are made while
     * replies are read, on the thread that completes them, are written together; the client offers no way to do that elsewhere.
     *
     * @param about what the call is, for messages: its command or keys, without the key value of a user
     * @param routingKey a key that decides which node of a cluster gets the call; null when any node will do
     * @param work sends the commands; fails with what the connection fails with, or with an exception that is for the caller
     * @return the answer; fails with a {@link StoreException}
     */
    public <T> CompletionStage<T> send(String about, String routingKey, Function<Connection, Future<T>> work) {
        ServerCall<T> call = new ServerCall<>(about, routingKey, work);
        try {
            context.emit(now -> submit(call));
        } catch (RejectedExecutionException e) {
            // Vert.x has been closed, and the connections with it.
            stopping(call);
        }
        return call.result;
    }

    private static void stopping(ServerCall<?> call) {
        call.result.completeExceptionally(new StoreException(Kind.REFUSED, STOPPING));
    }

    private void submit(ServerCall<?> call) {
        if (closed) {
            stopping(call);
            return;
        }
        boolean isRouted = isCluster() && call.routingKey != null;
        if (isRouted && nodeBySlot == null) {
            refresh();
        }
        node(isRouted && nodeBySlot != null ? nodeBySlot[slot(call.routingKey)] : null).submit(call);
    }

    private int slot(String key) {
        return isCluster() ? ZModem.generate(key) : 0;
    }

    // ---- The nodes of a cluster

    // While the slots are not known, and for an unassigned slot, any node carries out the call, names another one, or returns
    // the error.
    private RedisNode node(String endpoint) {
        return endpoint == null ? entryNode
                : nodes.computeIfAbsent(endpoint,
                        address -> new RedisNode(this, "Redis at " + withoutSecrets(address), address, pipelined));
    }

    /** Soon asks a node which node has which slot; another one the next time if it knows nothing new. */
    private void refresh() {
        if (refreshing || closed) {
            return;
        }
        refreshing = true;
        vertx.setTimer(nodeBySlot == null ? FIRST_REFRESH_MILLIS : REFRESH_MILLIS, timer -> {
            ServerCall<Slots> request = new ServerCall<>("CLUSTER SLOTS", null, connection -> connection
                    .send(Request.cmd(Command.CLUSTER).arg("SLOTS")).map(reply -> Slots.read(entryNode.endpoint, reply)));
            submit(request);
            request.result.whenComplete((reported, failure) -> {
                // Not before: an answer behind another one has no news.
                refreshing = false;
                if (failure == null ? !accept(reported) : StoreException.is(failure, Kind.TRANSIENT)) {
                    entryNode.moveOn("switching to another node");
                }
            });
        });
    }

    /** Whether anything has changed. */
    private boolean accept(Slots reported) {
        String[] before = nodeBySlot;
        nodeBySlot = reported.nodeBySlot;
        endpoints = reported.nodes;
        Set<String> masters = new HashSet<>(Arrays.asList(nodeBySlot));
        masters.remove(null);
        // One that is still replying names the nodes that took over.
        List<String> gone = nodes.entrySet().stream()
                .filter(node -> !masters.contains(node.getKey()) && node.getValue().mayRetire())
                .map(Map.Entry::getKey).toList();
        for (String endpoint : gone) {
            RedisNode node = nodes.remove(endpoint);
            List<ServerCall<?>> left = node.takeUnsent();
            node.close(Kind.TRANSIENT, "the node has no slots any more");
            left.forEach(this::submit);
        }
        if (before == null) {
            // Once, and before calls need them: a node that cannot be reached is asked again by the calls for it.
            masters.forEach(endpoint -> node(endpoint).connect());
            return true;
        }
        // Thousands of slots move one by one while a cluster is resharded: not all bulkheads are to be stated again each time.
        boolean changed = serverChanged(slot -> !Objects.equals(before[slot], nodeBySlot[slot]), true);
        if (changed) {
            report(ConnectionListener::availabilityChanged);
        }
        return changed;
    }

    /** Copies an endpoint with another address; an empty host keeps the host. */
    private static String endpoint(String like, String host, int port) {
        Matcher parts = ENDPOINT.matcher(like);
        if (!parts.matches()) {
            throw new IllegalArgumentException("Not the address of a Redis server");
        }
        String name = host.isEmpty() ? parts.group(2) : host.contains(":") ? "[" + host + "]" : host;
        return parts.group(1) + name + ":" + port + Objects.toString(parts.group(3), "");
    }

    private static String withoutSecrets(String endpoint) {
        return endpoint.replaceFirst("^.*@", "").replaceFirst("^\\w+://", "");
    }

    /**
     * Which node of a cluster has which slot.
     *
     * @param nodeBySlot the address of the master of each slot; null where no node has it
     * @param nodes all nodes that have slots, replicas too
     */
    private record Slots(String[] nodeBySlot, List<String> nodes) {

        /** Reads the reply to {@code CLUSTER SLOTS}. Another node may know more than one that knows none. */
        static Slots read(String asked, Response reply) {
            String[] nodeBySlot = new String[SLOTS_OF_A_CLUSTER];
            Set<String> all = new LinkedHashSet<>();
            for (Response range : reply) {
                List<String> nodes = range.stream().skip(2)
                        .map(node -> endpoint(asked, Objects.toString(node.get(0), ""), node.get(1).toInteger())).toList();
                Arrays.fill(nodeBySlot, range.get(0).toInteger(), range.get(1).toInteger() + 1, nodes.get(0));
                all.addAll(nodes);
            }
            if (all.isEmpty()) {
                throw new StoreException(Kind.TRANSIENT, "the node reports no slots");
            }
            return new Slots(nodeBySlot, List.copyOf(all));
        }
    }

    // ---- What servers report, on the context

    /**
     * The server of these slots was lost and is back, or another one has them, so that their bulkheads are stated again.
     *
     * @param mayHaveLess whether it may be another server or another run of it, which may have less data
     * @return whether there are such slots
     */
    private boolean serverChanged(IntPredicate which, boolean mayHaveLess) {
        BitSet slots = IntStream.range(0, newServerNanos.length).filter(which).collect(BitSet::new, BitSet::set, BitSet::or);
        Long now = System.nanoTime();
        slots.stream().filter(slot -> mayHaveLess).forEach(slot -> newServerNanos[slot] = now);
        if (!slots.isEmpty()) {
            report(to -> to.reconnected(id -> slots.get(slot(new BulkheadKeys(keyPrefix, id).toString()))));
        }
        return !slots.isEmpty();
    }

    /** As {@link Connection#serverSinceMillis}. */
    long serverSinceMillis(String routingKey) {
        Long since = newServerNanos[slot(routingKey)];
        return since == null ? -1 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    }

    /** A connection was opened again after another one was lost, or the server answers again. */
    void reconnected(RedisNode node, boolean mayBeAnotherRun) {
        // In a cluster, the node that is asked for slots may be another one each time, so it stands for none of them.
        serverChanged(slot -> node.address == null ? !isCluster()
                : nodeBySlot != null && node.address.equals(nodeBySlot[slot]), mayBeAnotherRun);
    }

    /** A connection was lost or could not be opened; in a cluster another node may have taken over. */
    void connectionFailed(Link link) {
        if (link.address != null) {
            refresh();
        }
    }

    /** Sends a call to the node that another node named; false if it is to fail instead. */
    boolean redirect(RedisNode node, ServerCall<?> call, ErrorReply.Redirection to) {
        if (!isCluster() || call.routingKey == null) {
            return false;
        }
        if (++call.redirects > MAX_REDIRECTS) {
            call.result.completeExceptionally(
                    new StoreException(Kind.TRANSIENT, "nodes of the cluster name each other for " + call.about));
        } else {
            // Two nodes name each other for a moment while a slot moves.
            vertx.setTimer(Math.min(LONGEST_REDIRECT_PAUSE_MILLIS, 1L << call.redirects), timer -> follow(node, call, to));
        }
        return true;
    }

    private void follow(RedisNode node, ServerCall<?> call, ErrorReply.Redirection to) {
        if (closed) {
            stopping(call);
            return;
        }
        call.asking = to.asking();
        String named = endpoint(node.endpoint, to.host(), to.port());
        if (!to.asking() && nodeBySlot != null && !named.equals(nodeBySlot[slot(call.routingKey)])) {
            call.hasMoved = true;
            refresh();
        }
        node(named).submit(call);
    }

    /** Fails all calls and closes the connections. */
    @Override
    public void close() {
        closed = true;
        context.runOnContext(now -> {
            entryNode.close(Kind.REFUSED, STOPPING);
            nodes.values().forEach(node -> node.close(Kind.REFUSED, STOPPING));
        });
    }

    /** A connection as calls see it. Other calls may use it at the same time. */
    public interface Connection {

        /** Sends a command; nothing is sent twice. */
        Future<Response> send(Request command);

        /**
         * Runs a script by its digest, or by its text where the server does not know the digest: after its first start, a
         * restart, a failover or {@code SCRIPT FLUSH}. The text also teaches the server the digest.
         */
        Future<Response> run(String script, String sha1, List<String> keys, List<String> args);

        /** The run id of the server when the connection was opened; empty if unknown. */
        String server();

        /**
         * For how long this instance has known that this run of a server has the data, after another one had it; -1 if it has
         * known no other.
         */
        long serverSinceMillis();
    }
}
