package io.quarkiverse.redisbulkhead.sample.exports;

/**
 * A table that was copied out of the database.
 *
 * @param table its name
 * @param rows how many rows it has
 */
public record Export(String table, int rows) {
}
