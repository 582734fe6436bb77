package io.quarkiverse.redisbulkhead.deployment.validation;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.runtime.definition.Texts;

/** Parts of messages about keys. */
final class KeyTexts {

    private KeyTexts() {
    }

    /** The annotation of a key as people write it, and where it stands. */
    static String annotation(KeyParameter key) {
        return "@BulkheadKey" + (key.namesBulkhead() ? "(" + Texts.quoted(key.bulkhead()) + ")" : "") + " on " + parameter(key);
    }

    /** A parameter, as people speak of it. */
    static String parameter(KeyParameter key) {
        return "parameter '" + key.name() + "'";
    }

    /** The member of the annotation as people write it. */
    static String keyResolver(DotName type) {
        return "keyResolver = " + type + ".class";
    }
}
