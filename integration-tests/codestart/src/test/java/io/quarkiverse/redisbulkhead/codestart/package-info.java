/** Applications that {@code quarkus create app -x redis-bulkhead} generates. */
package io.quarkiverse.redisbulkhead.codestart;
