package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpellingsTest {

    @ParameterizedTest
    @CsvSource(quoteCharacter = '\'', value = {
            "quarkus.redis-bulkhead.open.permits, quarkus.redis-bulkhead.\"open\".permits",
            "quarkus.redis-bulkhead.two words.max-wait, quarkus.redis-bulkhead.\"two words\".max-wait",
            "quarkus.redis-bulkhead.order:7.max-wait, quarkus.redis-bulkhead.\"order:7\".max-wait",
            "%prod.quarkus.redis-bulkhead.open.permits, %prod.quarkus.redis-bulkhead.\"open\".permits",
            "quarkus.redis-bulkhead.lock.open.fair, quarkus.redis-bulkhead.lock.\"open\".fair",
            "%a.quarkus.redis-bulkhead.lock.metrics.fair, %a.quarkus.redis-bulkhead.lock.\"metrics\".fair",
            "quarkus.redis-bulkhead.lock.lock-timeout.lock-timeout, quarkus.redis-bulkhead.lock.\"lock-timeout\".lock-timeout"
    })
    void aNameMayStandInQuotesOrNot(String without, String with) {
        assertThat(Spellings.other(without)).contains(with);
        assertThat(Spellings.other(with)).contains(without);
        assertThat(Spellings.isWithQuotes(with)).isTrue();
        assertThat(Spellings.isWithQuotes(without)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "%", "%prod", "quarkus.redis-bulkhead", "quarkus.redis-bulkhead.", "quarkus.redis-bulkhead..",
            "quarkus.redis-bulkhead.store", "quarkus.redis-bulkhead.lock.fair", "quarkus.redis-bulkhead.lock..fair",
            "quarkus.redis-bulkhead.rest.status", "quarkus.redis-bulkhead.\"rest\".status",
            "quarkus.redis-bulkhead.lock.acquire-timeout", "quarkus.redis-bulkhead.\"lock\".acquire-timeout",
            "quarkus.redis-bulkhead.\"of.sales\".permits", "quarkus.redis-bulkhead.of.sales.permits",
            "quarkus.redis-bulkhead.lock.\"of.sales\".fair", "quarkus.redis-bulkhead.lock.of.sales.fair",
            "quarkus.redis-bulkhead.\"a \\\"b\\\"\".permits", "quarkus.redis-bulkhead.\"a\\\\b\".permits",
            "quarkus.redis-bulkhead.\"a[0]\".permits", "quarkus.redis-bulkhead.a[0].permits",
            "quarkus.redis-bulkhead.\".permits", "quarkus.redis-bulkhead.\"\".permits", "quarkus.redis-bulkheads.open.permits",
            "quarkus.redis.open.permits", "%prod.quarkus.redis.open.permits" })
    void elseThereIsOneWayOnly(String property) {
        assertThat(Spellings.other(property)).isEmpty();
    }
}
