package io.quarkiverse.redisbulkhead.sample.crawler;

import java.util.Map;
import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/**
 * Downloads pages, at most three at a time from each host, over all instances of the crawler.
 * <p>
 * A rejected download is not given up: {@code @Retry} tries again a little later, each time for a new permit. It
 * retries rejections only; what the host answers is the host's last word. ({@code maxWait} is the simpler way; this one
 * shows that the bulkhead works together with Fault Tolerance.)
 */
@ApplicationScoped
public class PageFetcher {

    private final Website website;
    private final Map<String, String> sites;

    PageFetcher(@RestClient Website website, @ConfigProperty(name = "sample.crawler.sites") Map<String, String> sites) {
        this.website = website;
        this.sites = sites;
    }

    /** The hosts that may be crawled. */
    public Set<String> hosts() {
        return sites.keySet();
    }

    // tag::guarded[]
    /** Downloads a page. */
    @Retry(retryOn = BulkheadFullException.class, maxRetries = -1, delay = 100, jitter = 50, maxDuration = 20_000)
    @RedisBulkhead(name = "crawler", permits = 3)
    public Uni<String> page(@BulkheadKey String host, int number) {
        return website.page(sites.get(host), number);
    }
    // end::guarded[]
}
