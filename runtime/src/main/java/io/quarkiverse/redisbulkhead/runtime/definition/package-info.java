/**
 * What annotations, configuration and code define. Everything is checked here: by the build with what is configured then, for
 * the mistakes, and again at start-up with the final configuration, for use. Knows neither CDI nor Jandex.
 *
 * <pre>
 * Declarations            what annotations state, as written, and where; found by the build
 *   AnnotationDefinitions   the same with expressions resolved and values read: RBH001-004, 007-009, 026, 030
 * Configuration           what properties state, values read by KnownProperties: RBH005, 026, 032
 * NameChecks              properties and variables that nothing reads: RBH025, 028
 *   EffectiveDefinitions    both together; configuration wins, values must fit: RBH006, 020, 023, 024, 030, 031, 033
 *     EffectiveBulkhead       one bulkhead, in force
 * SemaphoreSpec, LockSpec   what code states
 *   CodeDefinitions         the same with configuration, compared with the first definition of the name: RBH008, 035
 * </pre>
 */
package io.quarkiverse.redisbulkhead.runtime.definition;
