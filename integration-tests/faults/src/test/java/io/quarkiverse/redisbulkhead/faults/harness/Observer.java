package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs outside all applications, and records the executions in guarded sections. An execution works only after its start is
 * recorded, and releases its permit only after its end is. So no recorded execution is longer than the real one.
 */
final class Observer implements AutoCloseable {

    private static final String NOTHING = "-";

    private final History history;
    private final ServerSocket server;
    private final Map<Long, WorkerProcess> expected = new ConcurrentHashMap<>();

    Observer(History history) throws IOException {
        this.history = history;
        this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept, "observer");
    }

    String address() {
        return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    /** Names the worker of a process; call it before the process can have connected. */
    void expect(long pid, WorkerProcess worker) {
        expected.put(pid, worker);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                daemon(() -> listen(socket), "observer of a worker");
            } catch (IOException e) {
                // Closed.
                return;
            }
        }
    }

    private void listen(Socket socket) {
        WorkerProcess worker = null;
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            Writer out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("hello")) {
                    worker = expected.get(Long.parseLong(words[1]));
                    worker.connected(command -> write(out, command));
                } else if (worker == null) {
                    // A client of another test, which looks for the server that had this port before.
                    return;
                } else {
                    note(worker, words, line);
                    if (words[0].equals("in") || words[0].equals("out")) {
                        write(out, "ack " + words[0] + words[1]);
                    }
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The process is gone; recorded below.
        }
        if (worker != null) {
            history.died(worker.name(), System.nanoTime());
        }
    }

    private void note(WorkerProcess worker, String[] words, String line) {
        switch (words[0]) {
            case "in" -> history.entered(worker.name(), Long.parseLong(words[1]), words[2], word(words[3]), word(words[4]),
                    Long.parseLong(words[5]), Integer.parseInt(words[6]));
            case "out" -> history.left(worker.name(), Long.parseLong(words[1]));
            case "still" -> worker.stoodStill(Duration.ofMillis(Long.parseLong(words[1])));
            case "lost" -> {
                history.lost(words[1]);
                worker.lost(words[2], words[3]);
            }
            case "no" -> {
                history.rejected(words[1] + " " + words[2], line);
                if (words[2].equals("other")) {
                    worker.failed(line);
                }
            }
            default -> worker.received(words);
        }
    }

    private static String word(String word) {
        return word.equals(NOTHING) ? "" : word;
    }

    private static void write(Writer out, String line) {
        synchronized (out) {
            try {
                out.write(line + "\n");
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
