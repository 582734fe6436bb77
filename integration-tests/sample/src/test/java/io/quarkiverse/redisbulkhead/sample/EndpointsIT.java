package io.quarkiverse.redisbulkhead.sample;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** With the native executable. With an application packaged for the JVM, these tests add nothing. */
@EnabledIfSystemProperty(named = "packaged", matches = "all")
@QuarkusIntegrationTest
class EndpointsIT extends EndpointsTest {
}
