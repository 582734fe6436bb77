package io.quarkiverse.redisbulkhead.benchmarks.instances;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.quarkiverse.redisbulkhead.benchmarks.load.Crew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Work;

/** Crews that work at the same time. Their pairs count together. */
final class CrewsTogether implements Crew {

    private final List<? extends Crew> crews;
    private final ExecutorService threads;

    CrewsTogether(List<? extends Crew> crews) {
        this.crews = crews;
        this.threads = Executors.newFixedThreadPool(crews.size());
    }

    @Override
    public Work work(Duration duration) throws InterruptedException {
        List<Future<Work>> working = crews.stream().map(crew -> threads.submit(() -> crew.work(duration))).toList();
        List<Work> done = new ArrayList<>();
        for (Future<Work> each : working) {
            try {
                done.add(each.get());
            } catch (ExecutionException e) {
                throw Crew.failed(e.getCause());
            }
        }
        return Work.together(done);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        crews.forEach(Crew::close);
    }
}
