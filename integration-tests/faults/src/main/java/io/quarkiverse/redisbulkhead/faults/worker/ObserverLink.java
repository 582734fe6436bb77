package io.quarkiverse.redisbulkhead.faults.worker;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitGoneException;

/** The connection to the observer: lines of words in both directions. It uses neither Redis nor any code under test. */
final class ObserverLink {

    /** The word that stands for nothing. */
    static final String NOTHING = "-";

    private static final String CONFIRMATION = "ack";

    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, CompletableFuture<Void>> unconfirmed = new ConcurrentHashMap<>();
    private final Executor continuations;
    private final BufferedReader in;
    private final Writer out;

    /** Connects. */
    ObserverLink(String address, Executor continuations) {
        this.continuations = continuations;
        String[] parts = address.split(":");
        try {
            // Closed with the process.
            Socket socket = new Socket(parts[0], Integer.parseInt(parts[1]));
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("There is no observer at " + address, e);
        }
    }

    long nextNumber() {
        return numbers.incrementAndGet();
    }

    /** Sends a message; the stage completes when the observer has recorded it. */
    CompletableFuture<Void> confirmed(long number, String what, String... words) {
        CompletableFuture<Void> confirmation = new CompletableFuture<>();
        unconfirmed.put(what + number, confirmation);
        send(what + " " + number + " " + String.join(" ", words));
        return confirmation;
    }

    synchronized void send(String line) {
        try {
            out.write(line + "\n");
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("The observer is gone", e);
        }
    }

    /** Reports a call that failed. */
    void rejected(String bulkhead, Throwable failure) {
        send("no " + bulkhead + " " + kind(failure) + " " + String.valueOf(failure).replaceAll("\\s+", " "));
    }

    /** The word for a kind of failure: full, contended, gone, unavailable or other. */
    static String kind(Throwable failure) {
        if (failure instanceof BulkheadFullException) {
            return "full";
        }
        if (failure instanceof BulkheadContendedException) {
            return "contended";
        }
        if (failure instanceof PermitGoneException) {
            return "gone";
        }
        return failure instanceof BulkheadUnavailableException ? "unavailable" : "other";
    }

    /** Reads until the observer disconnects, and then ends the process, which can no longer be observed. */
    void listen(Consumer<String> commands) {
        Thread reader = new Thread(() -> {
            try {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    take(line, commands);
                }
            } catch (IOException e) {
                System.err.println("The observer is gone: " + e);
            }
            Runtime.getRuntime().halt(0);
        }, "observer");
        reader.setDaemon(true);
        reader.start();
    }

    private void take(String line, Consumer<String> commands) {
        String[] words = line.split(" ");
        if (words[0].equals(CONFIRMATION)) {
            CompletableFuture<Void> confirmation = unconfirmed.remove(words[1]);
            continuations.execute(() -> confirmation.complete(null));
        } else {
            commands.accept(line);
        }
    }
}
