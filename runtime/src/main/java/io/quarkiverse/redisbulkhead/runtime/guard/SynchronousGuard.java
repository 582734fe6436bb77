package io.quarkiverse.redisbulkhead.runtime.guard;

import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;

/**
 * Guards a method that has ended when it returns. The calling thread, platform or virtual, waits for the permits. At the end
 * it hands their releases to the store, and waits for the answers only where a bulkhead has {@code await-release}.
 *
 * @param label the method, for messages
 * @param bulkhead the name of its first bulkhead, for messages
 * @param results checks its results when the permits have gone back; null for no check
 */
public record SynchronousGuard(String label, String bulkhead, UnfinishedResults results) implements Guard {

    /**
     * The guard of a method whose results are not checked.
     *
     * @param label the method, for messages
     * @param bulkhead the name of its first bulkhead, for messages
     */
    public SynchronousGuard(String label, String bulkhead) {
        this(label, bulkhead, null);
    }

    @Override
    public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new BlockingOperationNotAllowedException(label
                    + " is guarded by @RedisBulkhead and returns synchronously, so "
                    + "it must not be called on an event loop. Add @Blocking or @RunOnVirtualThread to the endpoint that calls "
                    + "it, or return a Uni");
        }
        Admission admission = admissions.get();
        Object result;
        try {
            BlockingWait.untilHeld(bulkhead, admission);
            try (Interruption interruption = Interruption.by(admission.interruptions())) {
                result = HeldPermits.with(admission, method);
            }
        } finally {
            // Never fails, so the method's own result or exception reaches the caller.
            BlockingWait.awaitUninterruptibly(admission.end());
        }
        if (results != null) {
            results.check(result);
        }
        return result;
    }

    /** Interrupts the thread of a blocking execution when one of its permits is lost and {@code on-lost=interrupt}. */
    private static final class Interruption implements AutoCloseable {

        private final Thread thread = Thread.currentThread();

        // These two fields are guarded by the lock of this object: a thread that does other work by now must not be interrupted.
        private boolean over;
        private boolean interrupted;

        /** Returns null, which try-with-resources ignores, when no loss interrupts the execution. */
        static Interruption by(List<CompletionStage<PermitLost>> losses) {
            if (losses.isEmpty()) {
                return null;
            }
            Interruption watch = new Interruption();
            losses.forEach(loss -> loss.thenRun(watch::interrupt));
            return watch;
        }

        private synchronized void interrupt() {
            if (!over) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** An interrupt that the execution did not notice must not reach what the thread does next. */
        @Override
        public synchronized void close() {
            over = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }

    /**
     * Logs a result of a method that returns synchronously, if its work is still to come when the permit has gone back. The
     * build refuses methods that declare such a type; this is for what comes out of an {@code Object}.
     */
    public static final class UnfinishedResults {

        /** Types of results whose work goes on, or begins, after the method has returned. */
        public static final Set<String> TYPES = Set.of(
                "io.smallrye.mutiny.Uni",
                "io.smallrye.mutiny.Multi",
                "java.util.concurrent.CompletionStage",
                "java.util.concurrent.Future",
                "java.util.concurrent.Flow$Publisher",
                "org.reactivestreams.Publisher",
                "org.jboss.resteasy.reactive.RestMulti",
                "io.vertx.core.Future",
                "io.reactivex.rxjava3.core.Observable",
                "io.reactivex.rxjava3.core.Single",
                "io.reactivex.rxjava3.core.Maybe",
                "io.reactivex.rxjava3.core.Completable",
                "dev.langchain4j.service.TokenStream",
                "kotlinx.coroutines.Job",
                "kotlinx.coroutines.Deferred",
                "kotlinx.coroutines.flow.Flow",
                // Lazy: most of the work is done by what reads the result.
                "java.util.stream.BaseStream",
                "java.util.function.Supplier",
                "java.util.concurrent.Callable",
                "java.util.Iterator",
                "java.io.InputStream",
                "kotlin.sequences.Sequence",
                "jakarta.ws.rs.core.StreamingOutput");

        private static final Logger LOG = Logger.getLogger(UnfinishedResults.class);

        // The simple name of the type that makes the results of a class unfinished, or null.
        private static final ClassValue<String> UNFINISHED = new ClassValue<>() {

            @Override
            protected String computeValue(Class<?> type) {
                String found = TYPES.contains(type.getName()) ? type.getSimpleName() : null;
                for (Class<?> implemented : type.getInterfaces()) {
                    found = found == null ? get(implemented) : found;
                }
                return found == null && type.getSuperclass() != null ? get(type.getSuperclass()) : found;
            }
        };

        private final String method;
        private final String bulkhead;
        private final UnaryOperator<Object> content;
        private final AtomicBoolean logged = new AtomicBoolean();

        /**
         * The check for one method.
         *
         * @param method how operators see the method
         * @param bulkhead the name of its first bulkhead
         * @param content what is in a result that is a wrapper, such as a response
         */
        public UnfinishedResults(String method, String bulkhead, UnaryOperator<Object> content) {
            this.method = method;
            this.bulkhead = bulkhead;
            this.content = content;
        }

        void check(Object result) {
            if (result == null || logged.get()) {
                return;
            }
            Object inside = content.apply(result);
            // The class may be a lambda, or internal to a library.
            String type = inside == null ? null : UNFINISHED.get(inside.getClass());
            boolean isDone = inside instanceof Future<?> future && future.isDone() || inside instanceof ByteArrayInputStream;
            if (type != null && !isDone && logged.compareAndSet(false, true)) {
                LOG.warnf("%s returned %s, whose work is not done yet, and the permit of bulkhead '%s' has gone back already."
                        + " Declare Uni, Multi or CompletionStage as the type of the method, or let it return the finished"
                        + " value. This is logged once per method. %s", method, type, bulkhead, LogMessage.UNFINISHED);
            }
        }
    }
}
