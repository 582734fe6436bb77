package org.acme.videos;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for a table of the jobs that run, with the tokens of their permits. */
@ApplicationScoped
public class JobTable {

    private record Row(String token, Instant started) {
    }

    private final Map<String, Row> rows = new ConcurrentHashMap<>();

    public void insert(String job, String token) {
        rows.put(job, new Row(token, Instant.now()));
    }

    /** Deletes a job, and returns the token of its permit; empty if another call has deleted it. */
    public Optional<String> delete(String job) {
        return Optional.ofNullable(rows.remove(job)).map(Row::token);
    }

    /** Replaces a token, and returns false if the job has been deleted meanwhile. */
    public boolean update(String job, String token) {
        return rows.computeIfPresent(job, (id, row) -> new Row(token, row.started())) != null;
    }

    /** The tokens of jobs that have run for at most this time, by job. */
    public Map<String, String> youngerThan(Duration age) {
        Instant earliest = Instant.now().minus(age);
        return rows.entrySet().stream().filter(row -> row.getValue().started().isAfter(earliest))
                .collect(Collectors.toMap(Map.Entry::getKey, row -> row.getValue().token()));
    }
}
