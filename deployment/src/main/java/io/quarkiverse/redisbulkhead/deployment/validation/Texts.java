package io.quarkiverse.redisbulkhead.deployment.validation;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;

/** Parts of messages. */
final class Texts {

    private static final int SHOWN = 40;

    private Texts() {
    }

    /** The annotation as people write it, with the name of the bulkhead. */
    static String annotation(String bulkhead) {
        return "@RedisBulkhead(name = " + quoted(bulkhead) + ")";
    }

    /** The annotation of a key as people write it, and where it stands. */
    static String annotation(KeyParameter key) {
        return "@BulkheadKey" + (key.namesBulkhead() ? "(" + quoted(key.bulkhead()) + ")" : "") + " on " + parameter(key);
    }

    /** A parameter, as people speak of it. */
    static String parameter(KeyParameter key) {
        return "parameter '" + key.name() + "'";
    }

    /** The member of the annotation as people write it. */
    static String keyResolver(DotName type) {
        return "keyResolver = " + type + ".class";
    }

    /** A name in quotes, not too much of it. */
    static String quoted(String name) {
        return "\"" + (name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "...") + "\"";
    }
}
