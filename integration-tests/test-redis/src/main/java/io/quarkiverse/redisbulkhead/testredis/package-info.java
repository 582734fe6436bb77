/** Redis servers for tests of packaged applications. Nothing here uses the code under test. */
package io.quarkiverse.redisbulkhead.testredis;
