package io.quarkiverse.redisbulkhead.deployment.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.restassured.path.json.JsonPath;

/** Compares responses with an OpenAPI document. */
final class Described {

    private Described() {
    }

    /** Each member is a property of the schema, and each required one is present. */
    static void by(JsonPath document, String schema, Map<String, Object> answer) {
        Map<String, Map<String, Object>> properties = document.getMap("components.schemas." + schema + ".properties");
        assertThat(properties.keySet()).as(schema).containsAll(answer.keySet());
        List<String> required = document.getList("components.schemas." + schema + ".required");
        if (required != null) {
            assertThat(answer.keySet()).as(schema).containsAll(required);
        }
        properties.forEach((name, property) -> assertThat(property).as(schema + "." + name).satisfiesAnyOf(
                described -> assertThat(described).containsKey("description"),
                elsewhere -> assertThat(elsewhere).containsKey("$ref")));
    }
}
