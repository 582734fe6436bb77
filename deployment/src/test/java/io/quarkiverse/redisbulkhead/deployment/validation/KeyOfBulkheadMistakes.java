package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
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

final class KeyOfBulkheadMistakes {

    private static final String NO_EFFECT = "@BulkheadKey on parameter 'host' has no effect, because ";
    private static final String UNGUARDED = NO_EFFECT
            + "no bulkhead guards this method. Put @RedisBulkhead on the method or on its"
            + " class, which must be a bean, or remove @BulkheadKey";
    private static final String ABSTRACT = NO_EFFECT
            + "no bulkhead guards an abstract method. Put it on the implementing method, beside @RedisBulkhead; on REST"
            + " clients and AI services, put @RedisBulkhead on the interface or its method";

    static final Mistakes ALL = new Mistakes(KeyOfBulkheadMistakes.class,
            new Class<?>[] { Plain.class, PlainWhole.class, Names.class, Whole.class, Base.class, Heir.class, Port.class,
                    Adapter.class, Client.class, Keyed.class, Forgetful.class, Mindful.class, Shard.class },
            "RBH016 Base#abstractly: " + ABSTRACT,
            "RBH016 Client#unguarded: " + ABSTRACT,
            "RBH016 Keyed#fetch: " + NO_EFFECT + "Forgetful#fetch overrides the method, and parameter annotations are "
                    + "not inherited. Annotate the parameter there, too",
            "RBH016 Names#far: @BulkheadKey(\"tenants\") on parameter 'host' does not name a bulkhead of this method. "
                    + "Available: \"pages\"",
            "RBH016 Names#near: @BulkheadKey(\"page\") on parameter 'host' does not name a bulkhead of this method. "
                    + "Did you mean \"pages\"? Available: \"pages\", \"websites\"",
            "RBH016 Names#unguarded: " + UNGUARDED,
            "RBH016 Plain#unguarded: " + UNGUARDED,
            "RBH011 PlainWhole: PlainWhole is not a bean, so @RedisBulkhead guards nothing here. Add a scope such as "
                    + "@ApplicationScoped",
            "RBH016 Port#guarded: " + ABSTRACT,
            "RBH016 Whole#<init>: " + UNGUARDED,
            "RBH010 Whole#annotatedPrivate: the method is private and cannot be guarded by @RedisBulkhead."
                    + " Make it package-private or more visible",
            "RBH016 Whole#covered: @BulkheadKey(\"hole\") on parameter 'host' does not name a bulkhead of this "
                    + "method. Did you mean \"whole\"? Available: \"whole\"",
            "RBH016 Whole#hidden: " + UNGUARDED,
            "RBH016 Whole#statically: " + UNGUARDED);

    static class Plain {
        void unguarded(@BulkheadKey String host) {
        }
    }

    // The error is the class, not its keys.
    @RedisBulkhead(name = "plain", permits = 1)
    static class PlainWhole {
        void guarded(@BulkheadKey String host) {
        }
    }

    @ApplicationScoped
    static class Names {
        @RedisBulkhead(name = "websites", permits = 1)
        @RedisBulkhead(name = "pages", permits = 1)
        void near(@BulkheadKey("page") String host, @BulkheadKey("websites") String website) {
        }

        @RedisBulkhead(name = "pages", permits = 1)
        void far(@BulkheadKey("tenants") String host) {
        }

        void unguarded(@BulkheadKey String host) {
        }
    }

    @Singleton
    @RedisBulkhead(name = "whole", permits = 1)
    static class Whole {
        @Inject
        Whole(@BulkheadKey Adapter host) {
        }

        void covered(@BulkheadKey("hole") String host) {
        }

        private void hidden(@BulkheadKey String host) {
        }

        static void statically(@BulkheadKey String host) {
        }

        // The error is the private method, not its key.
        @RedisBulkhead(name = "private", permits = 1)
        private void annotatedPrivate(@BulkheadKey String host) {
        }
    }

    abstract static class Base {
        abstract void abstractly(@BulkheadKey String host);

        // The overriding method decides.
        void overridden(@BulkheadKey String host) {
        }
    }

    @Singleton
    static class Heir extends Base {
        @Override
        @RedisBulkhead(name = "heir", permits = 1)
        void abstractly(String host) {
        }

        @Override
        @RedisBulkhead(name = "heir", permits = 1)
        void overridden(String host) {
        }
    }

    @RedisBulkhead(name = "keyed", permits = 1)
    static class Keyed {
        void fetch(@BulkheadKey String host) {
        }

        void read(@BulkheadKey String host) {
        }
    }

    /** It inherits the bulkhead, but not the key. */
    @Singleton
    static class Forgetful extends Keyed {
        @Override
        void fetch(String host) {
        }

        @Override
        void read(@BulkheadKey String host) {
        }
    }

    @Singleton
    static class Mindful extends Keyed {
        @Override
        void fetch(@BulkheadKey String host) {
        }

        @Override
        @RedisBulkhead(name = "mindful", permits = 1, keyResolver = Shard.class)
        void read(String host) {
        }
    }

    @Singleton
    static class Shard implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("one");
        }
    }

    interface Port {
        void guarded(@BulkheadKey String host);
    }

    @Singleton
    static class Adapter implements Port {
        @Override
        @RedisBulkhead(name = "adapter", permits = 1)
        public void guarded(String host) {
        }
    }

    @Path("client")
    @RegisterRestClient(baseUri = "http://localhost:1")
    interface Client {
        @GET
        String unguarded(@QueryParam("host") @BulkheadKey String host);
    }
}
