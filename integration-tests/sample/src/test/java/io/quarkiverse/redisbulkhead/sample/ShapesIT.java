package io.quarkiverse.redisbulkhead.sample;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@OnNative
@QuarkusIntegrationTest
class ShapesIT extends ShapesTest {
}
