package io.quarkiverse.redisbulkhead.runtime.guard;

import java.io.ByteArrayInputStream;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;

/**
 * Logs a result of a method whose work is still to come when the permit has gone back. The build refuses methods that declare
 * such a type; this is for what comes out of an {@code Object} or a response, also as the result of a {@code Uni}, stage or
 * {@code suspend} function.
 */
public final class UnfinishedResults {

    /** For executions whose results are not checked. */
    static final UnfinishedResults IGNORED = new UnfinishedResults("", "", result -> null);

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
