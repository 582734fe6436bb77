package io.quarkiverse.redisbulkhead.deployment.validation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
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
            "RBH018 Allowed#keys: "
                    + several("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q",
                            "r", "s", "t"),
            "RBH019 Generic#keyed: " + refusal("key", "Tenant"),
            "RBH018 Refused#keys: " + several("array", "bytes", "changing", "list", "enums", "number", "object", "own",
                    "unbound"),
            "RBH019 Refused#keys: " + refusal("array", "java.lang.String[]"),
            "RBH019 Refused#keys: " + refusal("bytes", "byte[]"),
            "RBH019 Refused#keys: " + refusal("changing", "java.util.concurrent.atomic.AtomicInteger"),
            "RBH019 Refused#keys: " + refusal("enums", "Colour[]"),
            "RBH019 Refused#keys: " + refusal("list", "java.util.List<java.lang.String>"),
            "RBH019 Refused#keys: " + refusal("number", "java.lang.Number"),
            "RBH019 Refused#keys: " + refusal("object", "java.lang.Object"),
            "RBH019 Refused#keys: " + refusal("own", "Tenant"),
            "RBH019 Refused#keys: " + refusal("unbound", "T"));

    private static String several(String... names) {
        return "@RedisBulkhead(name = \"typed\") has several keys here: parameter '" + String.join("', parameter '", names)
                + "'. Keep one of them; a keyResolver can make one key from several parameters";
    }

    private static String refusal(String name, String type) {
        return "@BulkheadKey on parameter '" + name + "': values of type " + type
                + " cannot be used as a key. Use a keyResolver, or a parameter that is a String or another CharSequence, a"
                + " primitive or its wrapper, a BigInteger, BigDecimal, enum, UUID, URI or value of java.time";
    }

    enum Colour {
        RED {
        }
    }

    record Tenant(String name) {
    }

    // One method each: that it has several keys is a mistake as well.
    @Singleton
    @RedisBulkhead(name = "typed", permits = 1)
    static class Refused {
        <T> void keys(@BulkheadKey String[] array, @BulkheadKey byte[] bytes, @BulkheadKey AtomicInteger changing,
                @BulkheadKey List<String> list, @BulkheadKey Colour[] enums,
                @BulkheadKey Number number, @BulkheadKey Object object, @BulkheadKey Tenant own, @BulkheadKey T unbound) {
        }
    }

    @Singleton
    @RedisBulkhead(name = "typed", permits = 1)
    static class Allowed {
        <T extends CharSequence, E extends Enum<E>> void keys(@BulkheadKey String a, @BulkheadKey CharSequence b,
                @BulkheadKey StringBuilder c, @BulkheadKey StringBuffer d, @BulkheadKey CharBuffer e, @BulkheadKey int f,
                @BulkheadKey boolean g, @BulkheadKey Long h, @BulkheadKey Character i, @BulkheadKey BigInteger j,
                @BulkheadKey BigDecimal k, @BulkheadKey Colour l, @BulkheadKey TimeUnit m, @BulkheadKey UUID n,
                @BulkheadKey URI o, @BulkheadKey Instant p, @BulkheadKey LocalDate q, @BulkheadKey ZonedDateTime r,
                @BulkheadKey T s, @BulkheadKey E t) {
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
