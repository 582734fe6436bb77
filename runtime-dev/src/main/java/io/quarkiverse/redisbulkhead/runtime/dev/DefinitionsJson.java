package io.quarkiverse.redisbulkhead.runtime.dev;

import java.util.List;
import java.util.Locale;

import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.DefinedValue;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The definitions as JSON. */
final class DefinitionsJson {

    private DefinitionsJson() {
    }

    /**
     * All definitions.
     *
     * @param declared the bulkheads
     * @return an object with an array {@code bulkheads}
     */
    static JsonObject of(List<DeclaredBulkhead> declared) {
        return new JsonObject().put("bulkheads", new JsonArray(declared.stream().map(DefinitionsJson::bulkhead).toList()));
    }

    private static JsonObject bulkhead(DeclaredBulkhead bulkhead) {
        return new JsonObject().put("name", bulkhead.name()).put("enabled", bulkhead.enabled()).put("keyed", bulkhead.keyed())
                .put("values", new JsonArray(bulkhead.values().stream().map(DefinitionsJson::value).toList()))
                .put("places", new JsonArray(bulkhead.places())).put("methods", new JsonArray(bulkhead.methods()));
    }

    private static JsonObject value(DefinedValue value) {
        return new JsonObject().put("member", value.member()).put("value", value.value())
                .put("source", value.source().name().toLowerCase(Locale.ROOT)).put("where", value.where());
    }
}
