package io.quarkiverse.redisbulkhead.sample.partner;

import java.math.BigDecimal;

/**
 * A price that the partner offers.
 *
 * @param article the article
 * @param price what it costs
 */
public record Quote(String article, BigDecimal price) {
}
