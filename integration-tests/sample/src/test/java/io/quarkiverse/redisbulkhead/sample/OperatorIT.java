package io.quarkiverse.redisbulkhead.sample;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same with the native executable. */
@OnNative
@QuarkusIntegrationTest
class OperatorIT extends OperatorTest {
}
