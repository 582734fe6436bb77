/** Applications that newcomers get from {@code quarkus create app -x redis-bulkhead}. */
package io.quarkiverse.redisbulkhead.codestart;
