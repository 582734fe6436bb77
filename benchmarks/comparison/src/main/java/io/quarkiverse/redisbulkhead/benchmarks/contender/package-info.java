/** The ways to limit executions that are compared, each as an application uses it. */
package io.quarkiverse.redisbulkhead.benchmarks.contender;
