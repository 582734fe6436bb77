/** The part of the test support that is inside the application; not for use by tests. */
package io.quarkiverse.redisbulkhead.test.runtime;
