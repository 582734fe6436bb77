/**
 * The counting semaphores of Josiah L. Carlson, "Redis in Action" (Manning, 2013), sections 6.2 and 6.3, rewritten as
 * reference implementations. They have the defects that the book's have; tests show those, and benchmarks compare with them.
 * No application uses this.
 */
package io.quarkiverse.redisbulkhead.reference;
