package org.acme.videos;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for a service that works on a video for minutes, and then calls a webhook. */
@ApplicationScoped
public class Transcoder {

    private final AtomicInteger started = new AtomicInteger();

    /** Starts a job, and returns its id. */
    public String start(String video) {
        return "job-" + started.incrementAndGet();
    }
}
