package io.quarkiverse.redisbulkhead.sample.crawler;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/**
 * Downloads pages, at most three at a time from each host, over all instances of the crawler. Each host has its own bulkhead.
 * <p>
 * A download that finds its bulkhead full is not given up: {@code @Retry} tries again a little later, each time for a new
 * permit. It retries rejections only; what the host answers is the host's last word. ({@code maxWait} is the simpler way; this
 * one shows that the bulkhead works together with Fault Tolerance.)
 */
@ApplicationScoped
public class PageFetcher {

    private final Website website;
    private final String exampleOrg;
    private final String exampleNet;

    PageFetcher(@RestClient Website website, @ConfigProperty(name = "sample.crawler.example-org.url") String exampleOrg,
            @ConfigProperty(name = "sample.crawler.example-net.url") String exampleNet) {
        this.website = website;
        this.exampleOrg = exampleOrg;
        this.exampleNet = exampleNet;
    }

    /**
     * Downloads a page of example.org.
     *
     * @param number which page
     * @return its text
     */
    @Retry(retryOn = BulkheadFullException.class, maxRetries = -1, delay = 100, jitter = 50, maxDuration = 20_000)
    @RedisBulkhead(name = "crawler-example-org", permits = 3)
    public Uni<String> fromExampleOrg(int number) {
        return website.page(exampleOrg, number);
    }

    /**
     * Downloads a page of example.net.
     *
     * @param number which page
     * @return its text
     */
    @Retry(retryOn = BulkheadFullException.class, maxRetries = -1, delay = 100, jitter = 50, maxDuration = 20_000)
    @RedisBulkhead(name = "crawler-example-net", permits = 3)
    public Uni<String> fromExampleNet(int number) {
        return website.page(exampleNet, number);
    }
}
