package io.quarkiverse.redisbulkhead.deployment.validation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

final class KeyTypeMistakes {

    static final Mistakes ALL = new Mistakes(KeyTypeMistakes.class,
            new Class<?>[] { Refused.class, Allowed.class, Colour.class, Tenant.class, Generic.class, OfText.class,
                    OfTenants.class },
            "RBH019 Generic#keyed: " + refusal("Tenant"),
            "RBH019 Refused#array: " + refusal("java.lang.String[]"),
            "RBH019 Refused#arrayOfPrimitives: " + refusal("byte[]"),
            "RBH019 Refused#changing: " + refusal("java.util.concurrent.atomic.AtomicInteger"),
            "RBH019 Refused#clock: " + refusal("java.time.Clock"),
            "RBH019 Refused#collection: " + refusal("java.util.List<java.lang.String>"),
            "RBH019 Refused#enums: " + refusal("Colour[]"),
            "RBH019 Refused#number: " + refusal("java.lang.Number"),
            "RBH019 Refused#object: " + refusal("java.lang.Object"),
            "RBH019 Refused#own: " + refusal("Tenant"),
            "RBH019 Refused#unbound: " + refusal("T"));

    private static String refusal(String type) {
        return "@BulkheadKey on parameter 'key': values of type " + type
                + " cannot be used as a key. Use a keyResolver, or a parameter that is a String or another CharSequence, a"
                + " primitive or its wrapper, a BigInteger, BigDecimal, enum, UUID, URI or value of java.time";
    }

    enum Colour {
        RED {
        }
    }

    record Tenant(String name) {
    }

    @Singleton
    @RedisBulkhead(name = "typed", permits = 1)
    static class Refused {
        void array(@BulkheadKey String[] key) {
        }

        void arrayOfPrimitives(@BulkheadKey byte[] key) {
        }

        void changing(@BulkheadKey AtomicInteger key) {
        }

        void clock(@BulkheadKey Clock key) {
        }

        void collection(@BulkheadKey List<String> key) {
        }

        void enums(@BulkheadKey Colour[] key) {
        }

        void number(@BulkheadKey Number key) {
        }

        void object(@BulkheadKey Object key) {
        }

        void own(@BulkheadKey Tenant key) {
        }

        <T> void unbound(@BulkheadKey T key) {
        }
    }

    @Singleton
    @RedisBulkhead(name = "typed", permits = 1)
    static class Allowed {
        void string(@BulkheadKey String key) {
        }

        void charSequence(@BulkheadKey CharSequence key) {
        }

        void builder(@BulkheadKey StringBuilder key) {
        }

        void buffer(@BulkheadKey StringBuffer key) {
        }

        void charBuffer(@BulkheadKey CharBuffer key) {
        }

        void primitive(@BulkheadKey int key) {
        }

        void truth(@BulkheadKey boolean key) {
        }

        void wrapper(@BulkheadKey Long key) {
        }

        void character(@BulkheadKey Character key) {
        }

        void bigInteger(@BulkheadKey BigInteger key) {
        }

        void bigDecimal(@BulkheadKey BigDecimal key) {
        }

        void ownEnum(@BulkheadKey Colour key) {
        }

        void enumOfJdk(@BulkheadKey TimeUnit key) {
        }

        void uuid(@BulkheadKey UUID key) {
        }

        void uri(@BulkheadKey URI key) {
        }

        void instant(@BulkheadKey Instant key) {
        }

        void date(@BulkheadKey LocalDate key) {
        }

        void time(@BulkheadKey ZonedDateTime key) {
        }

        <T extends CharSequence> void bound(@BulkheadKey T key) {
        }

        <E extends Enum<E>> void anyEnum(@BulkheadKey E key) {
        }
    }

    // Two beans inherit the method; only one of them binds an unsupported type.
    abstract static class Generic<K> {
        @RedisBulkhead(name = "generic", permits = 1)
        void keyed(@BulkheadKey K key) {
        }

        // A type variable of the method that shadows that of the class.
        @RedisBulkhead(name = "generic", permits = 1)
        <K extends CharSequence> void hiding(@BulkheadKey K key) {
        }
    }

    @Singleton
    static class OfText extends Generic<String> {
    }

    @Singleton
    static class OfTenants extends Generic<Tenant> {
    }
}
