/** Redis servers and other helpers of tests. Nothing here uses the code under test. */
package io.quarkiverse.redisbulkhead.testredis;
