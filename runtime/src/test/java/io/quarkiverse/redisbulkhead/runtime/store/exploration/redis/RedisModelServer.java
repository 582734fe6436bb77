package io.quarkiverse.redisbulkhead.runtime.store.exploration.redis;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A {@link RedisModel} with a server socket, so that complete stores run on its clock. It supports the commands of the model,
 * scripts and transactions. Of messages, it delivers only connection checks, so that nothing arrives asynchronously. Executes
 * one command at a time.
 */
public final class RedisModelServer implements AutoCloseable {

    private final RedisModel model;
    private final LuaEngine lua = new LuaEngine();
    private final Map<String, String> scripts = new HashMap<>();
    private final Map<String, Connection> subscribers = new ConcurrentHashMap<>();
    private final ServerSocket server;

    public RedisModelServer(RedisModel model) {
        this.model = model;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Reads or changes the model between two commands. */
    public synchronized <T> T with(Function<RedisModel, T> access) {
        return access.apply(model);
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "redis-model");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Connection connection = new Connection(server.accept());
                start(connection::serve);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private final class Connection {

        private final Socket socket;
        private final OutputStream out;
        private List<List<String>> queued;

        private Connection(Socket socket) throws IOException {
            this.socket = socket;
            this.out = socket.getOutputStream();
            socket.setTcpNoDelay(true);
        }

        private void serve() {
            try (socket; DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
                while (true) {
                    List<String> words = read(in);
                    words.set(0, words.get(0).toUpperCase(Locale.ROOT));
                    synchronized (RedisModelServer.this) {
                        write(reply(words));
                    }
                }
            } catch (IOException e) {
                // The client closed the connection.
            }
        }

        private Object reply(List<String> words) throws IOException {
            try {
                switch (words.get(0)) {
                    case "MULTI":
                        queued = new ArrayList<>();
                        return "OK";
                    case "EXEC":
                        List<List<String>> all = queued;
                        queued = null;
                        return all.stream().map(RedisModelServer.this::execute).toList();
                    case "SUBSCRIBE":
                        subscribers.put(words.get(1), this);
                        return List.of("subscribe", words.get(1), 1L);
                    case "PUBLISH":
                        if (words.get(2).startsWith("check ") && subscribers.containsKey(words.get(1))) {
                            subscribers.get(words.get(1)).write(List.of("message", words.get(1), words.get(2)));
                            return 1L;
                        }
                        break;
                    default:
                }
                if (queued != null) {
                    queued.add(words);
                    return "QUEUED";
                }
                return execute(words);
            } catch (RedisError e) {
                return e;
            } catch (RuntimeException e) {
                // A defect in a script or in the model.
                return new RedisError("ERR " + e.toString().replace('\n', ' '));
            }
        }

        private void write(Object reply) throws IOException {
            StringBuilder text = new StringBuilder();
            append(text, reply);
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private Object execute(List<String> words) {
        return switch (words.get(0)) {
            case "PING" -> "PONG";
            case "WATCH", "UNWATCH" -> "OK";
            case "EVAL" -> {
                scripts.put(sha1(words.get(1)), words.get(1));
                yield eval(words.get(1), words);
            }
            case "EVALSHA" -> {
                if (!scripts.containsKey(words.get(1))) {
                    throw new RedisError("NOSCRIPT No matching script. Please use EVAL.");
                }
                yield eval(scripts.get(words.get(1)), words);
            }
            default -> model.execute(words);
        };
    }

    private Object eval(String script, List<String> words) {
        int keys = Integer.parseInt(words.get(2));
        return lua.run(model, script, words.subList(3, 3 + keys), words.subList(3 + keys, words.size()));
    }

    private static String sha1(String script) {
        try {
            return java.util.HexFormat.of().formatHex(
                    java.security.MessageDigest.getInstance("SHA-1").digest(script.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> read(DataInputStream in) throws IOException {
        int count = Integer.parseInt(line(in).substring(1));
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] word = new byte[Integer.parseInt(line(in).substring(1))];
            in.readFully(word);
            line(in);
            words.add(new String(word, StandardCharsets.UTF_8));
        }
        return words;
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private static void append(StringBuilder to, Object reply) {
        if (reply == null) {
            to.append("$-1\r\n");
        } else if (reply instanceof RedisError error) {
            to.append('-').append(error.getMessage()).append("\r\n");
        } else if (reply instanceof Long number) {
            to.append(':').append(number).append("\r\n");
        } else if (reply instanceof List<?> list) {
            to.append('*').append(list.size()).append("\r\n");
            list.forEach(each -> append(to, each));
        } else {
            String text = (String) reply;
            to.append('$').append(text.getBytes(StandardCharsets.UTF_8).length).append("\r\n").append(text).append("\r\n");
        }
    }
}
