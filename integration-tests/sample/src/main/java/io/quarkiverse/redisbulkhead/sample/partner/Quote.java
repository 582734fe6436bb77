package io.quarkiverse.redisbulkhead.sample.partner;

import java.math.BigDecimal;

/** A price that the partner offers. */
public record Quote(String article, BigDecimal price) {
}
