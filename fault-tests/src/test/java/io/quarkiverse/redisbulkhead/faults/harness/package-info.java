/**
 * What fault scenarios are made of: processes of applications and of Redis, the network between them, an observer outside of
 * all, and a checker that judges what it saw.
 */
package io.quarkiverse.redisbulkhead.faults.harness;
