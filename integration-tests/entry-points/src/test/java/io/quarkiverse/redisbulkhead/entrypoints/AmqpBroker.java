package io.quarkiverse.redisbulkhead.entrypoints;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.qpid.proton.amqp.messaging.Accepted;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.proton.ProtonConnection;
import io.vertx.proton.ProtonHelper;
import io.vertx.proton.ProtonSender;
import io.vertx.proton.ProtonServer;
import io.vertx.proton.ProtonSession;

/**
 * The consumer side of an AMQP 1.0 broker, built on the protocol library of the Quarkus connector: it sends the messages of
 * a queue while the consumer grants credit, and records the outcome of each message. It delivers no message twice.
 */
public class AmqpBroker implements QuarkusTestResourceLifecycleManager {

    private final Map<String, Queue> queues = new ConcurrentHashMap<>();
    private Vertx vertx;
    private ProtonServer server;

    /** One queue. Messages are numbered from 1. */
    public final class Queue {

        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger accepted = new AtomicInteger();
        private final List<String> refused = new CopyOnWriteArrayList<>();
        private final java.util.Queue<String> ready = new ConcurrentLinkedQueue<>();
        private final AtomicInteger added = new AtomicInteger();
        private volatile ProtonSender consumer;

        void add(int messages) {
            for (int i = 0; i < messages; i++) {
                ready.add("message " + added.incrementAndGet());
            }
            vertx.runOnContext(now -> send());
        }

        /** How many messages are in flight or settled. */
        int sent() {
            return sent.get();
        }

        /** How many messages the consumer has acknowledged. */
        int accepted() {
            return accepted.get();
        }

        /** The AMQP outcomes of messages that the consumer settled without acknowledging them. */
        List<String> refused() {
            return refused;
        }

        private void attach(ProtonSender link) {
            link.setSource(link.getRemoteSource());
            link.sendQueueDrainHandler(credited -> send());
            consumer = link.open();
        }

        // A server listens on one event loop, which serves all connections, so one thread sends all messages.
        private void send() {
            ProtonSender link = consumer;
            while (link != null && !link.sendQueueFull() && !ready.isEmpty()) {
                sent.incrementAndGet();
                link.send(ProtonHelper.message(ready.remove()), delivery -> {
                    if (delivery.getRemoteState() instanceof Accepted) {
                        accepted.incrementAndGet();
                    } else {
                        refused.add(delivery.getRemoteState().getClass().getSimpleName());
                    }
                });
            }
        }
    }

    public Queue queue(String address) {
        return queues.computeIfAbsent(address, any -> new Queue());
    }

    @Override
    public Map<String, String> start() {
        vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        CompletableFuture<Integer> port = new CompletableFuture<>();
        server = ProtonServer.create(vertx).connectHandler(this::accept).listen(0, "localhost", listening -> {
            if (listening.succeeded()) {
                port.complete(listening.result().actualPort());
            } else {
                port.completeExceptionally(listening.cause());
            }
        });
        try {
            return Map.of("amqp-host", "localhost", "amqp-port", String.valueOf(port.get(20, TimeUnit.SECONDS)));
        } catch (Exception e) {
            throw new IllegalStateException("The AMQP broker of the tests does not listen", e);
        }
    }

    private void accept(ProtonConnection connection) {
        connection.sessionOpenHandler(ProtonSession::open);
        connection.senderOpenHandler(link -> queue(link.getRemoteSource().getAddress()).attach(link));
        connection.open();
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(AmqpBroker.class));
    }

    @Override
    public void stop() {
        if (vertx != null) {
            server.close();
            vertx.close();
        }
    }
}
