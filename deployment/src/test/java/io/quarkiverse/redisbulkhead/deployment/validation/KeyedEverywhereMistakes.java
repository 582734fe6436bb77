package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;

final class KeyedEverywhereMistakes {

    private static final String WAY_OUT = ". Provide a key everywhere, with @BulkheadKey or a keyResolver, or use "
            + "different names";

    static final Mistakes ALL = new Mistakes(KeyedEverywhereMistakes.class,
            new Class<?>[] { Pages.class, Crawler.class, Whole.class, Client.class, TenantKey.class },
            "RBH020 @RedisBulkhead(name = \"orders\"): has a key at Crawler#order (keyResolver = TenantKey.class), "
                    + "but not at Pages#order" + WAY_OUT,
            "RBH020 @RedisBulkhead(name = \"pages-fetched\"): has a key at Client#fetch (parameter 'host'), Crawler#fetch "
                    + "(parameter 'host'), but not at Client#all, Pages#fetch" + WAY_OUT,
            "RBH020 @RedisBulkhead(name = \"partly-keyed\"): has a key at Whole#keyed (parameter 'tenant'), but not at "
                    + "Whole#forgotten"
                    + WAY_OUT);

    @Singleton
    static class Pages {
        @RedisBulkhead(name = "pages-fetched", permits = 1)
        void fetch(String host) {
        }

        @RedisBulkhead(name = "orders", permits = 1)
        void order() {
        }

        @RedisBulkhead(name = "fine", permits = 1)
        void fine(@BulkheadKey String tenant) {
        }
    }

    @Singleton
    static class Crawler {
        @RedisBulkhead(name = "pages-fetched", permits = 1)
        void fetch(@BulkheadKey String host) {
        }

        @RedisBulkhead(name = "orders", permits = 1, keyResolver = TenantKey.class)
        void order() {
        }

        @RedisBulkhead(name = "fine", permits = 1, keyResolver = TenantKey.class)
        void fine() {
        }
    }

    @Singleton
    @RedisBulkhead(name = "partly-keyed", permits = 1)
    static class Whole {
        void keyed(@BulkheadKey String tenant) {
        }

        void forgotten(String tenant) {
        }
    }

    @Path("client")
    @RegisterRestClient(baseUri = "http://localhost:1")
    @RedisBulkhead(name = "pages-fetched", permits = 1)

    interface Client {
        @GET
        String fetch(@QueryParam("host") @BulkheadKey String host);

        @GET
        @Path("all")
        String all();
    }

    @Singleton
    static class TenantKey implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return null;
        }
    }
}
