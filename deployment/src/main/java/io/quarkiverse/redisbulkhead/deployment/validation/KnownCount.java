package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;
import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.deployment.validation.ConfiguredValues.Value;

/** A number that is stated, not stated, or not known before the application starts. */
record KnownCount(boolean known, OptionalInt value) {

    static KnownCount of(Optional<Value> configured, OptionalInt otherwise) {
        if (configured.isEmpty()) {
            return new KnownCount(true, otherwise);
        }
        return configured.get().as(text -> CountText.parse("any", text))
                .map(count -> new KnownCount(true, OptionalInt.of(count)))
                .orElse(new KnownCount(false, OptionalInt.empty()));
    }

    boolean isStated() {
        return value.isPresent() && value.getAsInt() > 0;
    }
}
