/**
 * What annotations and configuration define: expressions are resolved and everything is checked here, by the build with what is
 * configured then, and again at start-up with the final configuration. Knows neither CDI nor Jandex.
 */
package io.quarkiverse.redisbulkhead.runtime.definition;
