package io.quarkiverse.redisbulkhead.sample.ledger;

import java.math.BigDecimal;

/** A charge to the account, with the fencing token under which it was written. */
public record Charge(String article, BigDecimal price, long token) {
}
