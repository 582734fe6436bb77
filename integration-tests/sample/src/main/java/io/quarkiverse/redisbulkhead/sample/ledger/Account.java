package io.quarkiverse.redisbulkhead.sample.ledger;

import java.math.BigDecimal;

/** The account as the database has it, with the greatest fencing token that has written. */
public record Account(BigDecimal balance, long token) {
}
