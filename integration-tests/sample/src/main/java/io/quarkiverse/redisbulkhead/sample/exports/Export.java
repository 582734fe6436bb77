package io.quarkiverse.redisbulkhead.sample.exports;

/** A table that was copied out of the database. */
public record Export(String table, int rows) {
}
