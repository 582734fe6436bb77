package io.quarkiverse.redisbulkhead.benchmarks.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** What the extension adds to the start of an application, and to its heap: the same application without it and with it. */
class StartUpTest {

    /** {@code -Dredis.server=}: a {@code redis-server} or {@code valkey-server} to use instead of the embedded one. */
    private static final String INSTALLED = System.getProperty("redis.server", "");

    private static final int REPETITIONS = Integer.getInteger("benchmarks.starts", 20);

    /** That it works. */
    @Test
    @Tag("short")
    void theApplicationStarts() throws Exception {
        assertThat(measure(List.of(Variant.LOCAL), 1).get(Variant.LOCAL)).singleElement()
                .satisfies(start -> assertThat(start.answeredMillis()).isPositive());
    }

    @Test
    @Tag("long")
    void starts() throws Exception {
        Map<Variant, List<StartFigures>> starts = measure(List.of(Variant.values()), REPETITIONS);
        Document.write("start-up", StartFigures.table(starts));
        Document.write("targets of start-up", StartFigures.targets(starts));
    }

    // One after the other, again and again, so that what else the machine does hits all of them alike.
    private static Map<Variant, List<StartFigures>> measure(List<Variant> variants, int times)
            throws IOException, InterruptedException {
        Map<Variant, Path> packages = new EnumMap<>(Variant.class);
        Map<Variant, List<StartFigures>> starts = new EnumMap<>(Variant.class);
        for (Variant variant : variants) {
            packages.put(variant, variant.packaged());
            starts.put(variant, new ArrayList<>());
        }
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        RedisServerBuilder builder = RedisServer.newRedisServer().port(port).setting("save \"\"");
        if (!INSTALLED.isEmpty()) {
            builder.executableProvider(() -> new File(INSTALLED));
        }
        RedisServer redis = builder.build();
        redis.start();
        try {
            for (int i = 0; i < times; i++) {
                for (Variant variant : variants) {
                    starts.get(variant).add(StartedApplication.measure(packages.get(variant), port));
                }
            }
        } finally {
            redis.stop();
        }
        return starts;
    }
}
