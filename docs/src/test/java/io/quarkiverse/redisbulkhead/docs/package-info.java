/**
 * Checks of the documentation: what it links to is there, what it shows is what the build compiles and runs, and the properties
 * that it names exist.
 */
package io.quarkiverse.redisbulkhead.docs;
