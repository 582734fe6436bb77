package io.quarkiverse.redisbulkhead.sample.crawler;

import java.util.List;
import java.util.stream.IntStream;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestQuery;

import io.smallrye.mutiny.Uni;

/** Crawls a site: requests all pages at once; the bulkhead limits the downloads to three at a time. */
@Path("/crawl")
public class CrawlResource {

    private static final int MAX_PAGES = 50;

    private final PageFetcher fetcher;

    CrawlResource(PageFetcher fetcher) {
        this.fetcher = fetcher;
    }

    /** Downloads the first pages of a site. */
    @GET
    public Uni<List<String>> crawl(@RestQuery @DefaultValue("example.org") String host,
            @RestQuery @DefaultValue("6") int pages) {
        if (pages < 1 || pages > MAX_PAGES) {
            throw badRequest("pages must be from 1 to " + MAX_PAGES);
        }
        if (!fetcher.hosts().contains(host)) {
            throw badRequest("host must be example.org or example.net");
        }
        return Uni.join().all(IntStream.rangeClosed(1, pages).mapToObj(page -> fetcher.page(host, page)).toList())
                .andFailFast();
    }

    private static BadRequestException badRequest(String message) {
        return new BadRequestException(
                Response.status(Response.Status.BAD_REQUEST).type(MediaType.TEXT_PLAIN_TYPE).entity(message).build());
    }
}
