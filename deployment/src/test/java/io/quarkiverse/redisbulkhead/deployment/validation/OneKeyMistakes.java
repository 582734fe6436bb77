package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;

final class OneKeyMistakes {

    private static final String WAY_OUT = ". Keep one of them; a keyResolver can make one key from several parameters";

    static final Mistakes ALL = new Mistakes(OneKeyMistakes.class,
            new Class<?>[] { Methods.class, Pages.class, Whole.class, TenantKey.class },
            "RBH018 Methods#both: @RedisBulkhead(name = \"both\") has several keys here: parameter 'tenant',"
                    + " keyResolver = TenantKey.class" + WAY_OUT,
            "RBH018 Methods#named: @RedisBulkhead(name = \"named\") has several keys here: parameter 'host', parameter 'path'"
                    + WAY_OUT,
            "RBH018 Methods#two: @RedisBulkhead(name = \"two\") has several keys here: parameter 'host', parameter 'path'"
                    + WAY_OUT,
            "RBH017 Pages#fetch: @BulkheadKey on parameter 'host' does not say which bulkhead it is for, and the method has"
                    + " several: \"sites\", \"crawler\". Name one of them, as in @BulkheadKey(\"sites\")",
            "RBH018 Whole#keyed: @RedisBulkhead(name = \"twice-keyed\") has several keys here: parameter 'tenant',"
                    + " keyResolver = TenantKey.class on Whole" + WAY_OUT);

    @Singleton
    static class Methods {
        @RedisBulkhead(name = "two", permits = 1)
        void two(@BulkheadKey String host, @BulkheadKey String path) {
        }

        @RedisBulkhead(name = "named", permits = 1)
        @RedisBulkhead(name = "second", permits = 1)
        void named(@BulkheadKey("named") String host, @BulkheadKey("second") String other, @BulkheadKey("named") String path) {
        }

        @RedisBulkhead(name = "both", permits = 1, keyResolver = TenantKey.class)
        void both(@BulkheadKey String tenant) {
        }
    }

    @Singleton
    @RedisBulkhead(name = "twice-keyed", permits = 1, keyResolver = TenantKey.class)
    static class Whole {
        void keyed(@BulkheadKey String tenant) {
        }

        void covered(String tenant) {
        }
    }

    @Singleton
    static class TenantKey implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return null;
        }
    }

    @Singleton
    static class Pages {
        @RedisBulkhead(name = "sites", permits = 1)
        @RedisBulkhead(name = "crawler", permits = 1)
        void fetch(@BulkheadKey String host) {
        }

        // Not reported for this name: the key without a name above may be its missing key.
        @RedisBulkhead(name = "sites", permits = 1)
        void fetchOne(@BulkheadKey String host) {
        }
    }
}
