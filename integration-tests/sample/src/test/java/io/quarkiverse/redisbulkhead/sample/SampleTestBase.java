package io.quarkiverse.redisbulkhead.sample;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.redisbulkhead.sample.support.Gate;
import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.ParallelCalls;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;

/** Common parts of the endpoint tests: the outside systems, which hold every call until the test releases it. */
@WithTestResource(value = OutsideServer.class, scope = TestResourceScope.MATCHING_RESOURCES)
abstract class SampleTestBase {

    OutsideServer outside;
    ParallelCalls calls;

    @BeforeEach
    void shutGates() {
        outside.gates().forEach(Gate::shut);
        calls = new ParallelCalls();
    }

    @AfterEach
    void openGates() {
        outside.gates().forEach(Gate::open);
        calls.close();
    }
}
