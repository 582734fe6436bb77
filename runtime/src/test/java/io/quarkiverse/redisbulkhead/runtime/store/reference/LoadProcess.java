package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Member;

/**
 * A separate process that puts load on a semaphore. It reports that it is ready, starts on receiving one byte, and ends after
 * its duration or with its parent process.
 */
final class LoadProcess {

    static final String READY = "ready";

    private LoadProcess() {
    }

    /**
     * The task of a process.
     *
     * @param kind the contender
     * @param redisPort the Redis with the permits
     * @param observerPort the Redis of the observer
     * @param spec the semaphore
     * @param threads the number of callers
     * @param duration the duration of the run
     * @param result the file for the figures
     */
    record Task(String kind, int redisPort, int observerPort, SemaphoreSpec spec, int threads, Duration duration,
            Path result) {

        List<String> toArguments() {
            return List.of(kind, String.valueOf(redisPort), String.valueOf(observerPort), spec.name(),
                    String.valueOf(spec.permits()),
                    spec.expire().toString(), spec.maxWait().toString(), String.valueOf(threads), duration.toString(),
                    result.toString());
        }

        static Task of(List<String> arguments) {
            Iterator<String> next = arguments.iterator();
            return new Task(next.next(), Integer.parseInt(next.next()), Integer.parseInt(next.next()),
                    SemaphoreSpec.named(next.next()).permits(Integer.parseInt(next.next()))
                            .expire(Duration.parse(next.next())).maxWait(Duration.parse(next.next())).build(),
                    Integer.parseInt(next.next()), Duration.parse(next.next()), Path.of(next.next()));
        }
    }

    public static void main(String[] arguments) throws IOException {
        Task task = Task.of(List.of(arguments));
        TestRedis outside = TestRedis.startedElsewhere(task.observerPort());
        TestRedis redis = TestRedis.startedElsewhere(task.redisPort());
        List<BlockingRedis> observers = new ArrayList<>();
        LoadFigures figures;
        try (outside;
                redis;
                Member member = Contenders.of(task.kind(), redis, task.spec()).join(Duration.ZERO);
                Crew crew = new Crew(task.spec().permits())) {
            for (int i = 0; i < task.threads(); i++) {
                crew.add(member);
                observers.add(new BlockingRedis(outside.vertx(), outside.port()));
            }
            awaitStart();
            Iterator<BlockingRedis> observer = observers.iterator();
            figures = crew.run(task.duration(), () -> new RedisObserver(observer.next()));
            observers.forEach(BlockingRedis::close);
        }
        try (Writer result = Files.newBufferedWriter(task.result())) {
            figures.toProperties().store(result, task.kind());
        }
    }

    private static void awaitStart() throws IOException {
        System.out.println(READY);
        if (System.in.read() < 0) {
            throw new IllegalStateException("The parent process has ended");
        }
        Thread watch = new Thread(LoadProcess::endWithParent, "watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // Waits for the end of the stream.
            }
        } catch (IOException e) {
            // Same as the end of the stream.
        }
        Runtime.getRuntime().halt(3);
    }
}
