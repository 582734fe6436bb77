package io.quarkiverse.redisbulkhead.behaviour;

import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;

/** Bulkheads without keys. */
final class Unkeyed {

    private Unkeyed() {
    }

    static List<BulkheadUse> bulkheads(String... names) {
        return Stream.of(names).map(name -> new BulkheadUse(name, 1, new KeyOrigin.None(), BulkheadUse.NO_PARAMETER)).toList();
    }
}
