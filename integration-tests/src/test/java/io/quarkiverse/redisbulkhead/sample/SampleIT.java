package io.quarkiverse.redisbulkhead.sample;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same with the packaged application. */
@QuarkusIntegrationTest
class SampleIT extends StandInTest {
}
