package io.quarkiverse.redisbulkhead.deployment.devmode;

import java.util.Comparator;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.smallrye.mutiny.Uni;

/**
 * Guarded methods of every shape, which return the permits held while they run. {@link LiveReloadTest} rewrites this file.
 */
public class Shapes {

    @Singleton
    public static class Inside {
        @Inject
        RedisBulkheads bulkheads;

        /** The bulkheads in use, each as {@code name used/limit}. */
        String tell() {
            return bulkheads.names().stream()
                    .map(bulkheads::semaphore)
                    .filter(bulkhead -> !bulkhead.needsKey())
                    .map(RedisSemaphore::status)
                    .filter(status -> status.inUse() > 0)
                    .sorted(Comparator.comparing(SemaphoreStatus::name))
                    .map(status -> status.name() + " " + status.inUse() + "/" + status.limit()
                            + (status.limitsDiffer() ? ", limits differ" : ""))
                    .collect(Collectors.joining(", "));
        }
    }

    @Singleton
    public static class Tenant implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("tenant");
        }
    }

    @ApplicationScoped
    public static class Methods {
        @Inject
        Inside inside;

        @RedisBulkhead(name = "method", permits = 3)
        String guarded() {
            return inside.tell();
        }

        @RedisBulkhead(name = "wide", permits = 3)
        @RedisBulkhead(name = "narrow", permits = 3)
        String several() {
            return inside.tell();
        }

        @RedisBulkhead(name = "uni", permits = 3)
        Uni<String> uni() {
            return inside.bulkheads.semaphore("uni").statusAsync()
                    .map(status -> "uni " + status.inUse() + "/" + status.limit());
        }

        @RedisBulkhead(name = "keyed", permits = 3)
        String keyed(@BulkheadKey String one, String other) {
            return keys("keyed", one, other, "tenant");
        }

        @RedisBulkhead(name = "resolved", permits = 3, keyResolver = Tenant.class)
        String resolved(String one, String other) {
            return keys("resolved", one, other, "tenant");
        }

        private String keys(String bulkhead, String... keys) {
            return Stream.of(keys).map(key -> inside.bulkheads.semaphore(bulkhead).forKey(key).status())
                    .filter(status -> status.inUse() > 0)
                    .map(status -> status.name() + " " + status.key().orElseThrow() + " " + status.inUse() + "/"
                            + status.limit())
                    .collect(Collectors.joining(", "));
        }

        @RedisBulkhead(name = "removed", permits = 3)
        String removed() {
            return inside.tell();
        }

        String added() {
            return inside.tell();
        }

        @RedisBulkhead(name = "nested", permits = 2)
        String nested() {
            return twice();
        }

        @RedisBulkhead(name = "nested", permits = 2)
        String twice() {
            return inside.tell();
        }
    }

    @RedisBulkhead(name = "class", permits = 3)
    public static class Parent {
        @Inject
        Inside inside;

        String covered() {
            return inside.tell();
        }

        @RedisBulkhead(name = "inherited", permits = 3)
        String inherited() {
            return inside.tell();
        }
    }

    @ApplicationScoped
    public static class Heir extends Parent {
    }

    public abstract static class Generic<T, R> {
        @RedisBulkhead(name = "generic superclass", permits = 3)
        R load(T key) {
            return loaded(key);
        }

        protected abstract R loaded(T key);
    }

    @ApplicationScoped
    public static class Concrete extends Generic<Integer, Uni<String>> implements Function<Integer, String> {
        @Inject
        Inside inside;

        @Override
        protected Uni<String> loaded(Integer key) {
            return inside.bulkheads.semaphore("generic superclass").statusAsync()
                    .map(status -> "generic superclass " + status.inUse() + "/" + status.limit());
        }

        @Override
        @RedisBulkhead(name = "interface", permits = 3)
        public String apply(Integer key) {
            return inside.tell();
        }
    }

    @Path("/inside")
    @RegisterRestClient(configKey = "inside", baseUri = "http://localhost:8080")
    public interface Client {
        @GET
        @RedisBulkhead(name = "client method", permits = 3)
        String tell();
    }

    @Path("/inside")
    @RegisterRestClient(configKey = "inside", baseUri = "http://localhost:8080")

    @RedisBulkhead(name = "client interface", permits = 3)
    public interface WholeClient {
        @GET
        Uni<String> tell();
    }

    @Path("/inside")
    public static class Server {
        @Inject
        Inside inside;

        @GET
        public String tell() {
            return inside.tell();
        }
    }
}
