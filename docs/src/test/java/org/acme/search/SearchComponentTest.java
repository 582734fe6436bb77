package org.acme.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.InjectMock;
import io.quarkus.test.component.QuarkusComponentTest;

// tag::test[]
@QuarkusComponentTest
class SearchComponentTest {

    @Inject
    Search search;

    @InjectMock
    RedisBulkheads bulkheads;

    @Test
    void annotatedMethodsAreNotGuarded() {
        assertThat(search.search("acme", "teapot")).containsExactly("teapot of acme");
        verifyNoInteractions(bulkheads);
    }

    @Test
    void permitsInCodeComeFromTheMock() {
        RedisSemaphore semaphore = mock(RedisSemaphore.class);
        Permit permit = mock(Permit.class);
        when(bulkheads.semaphore(anyString())).thenReturn(semaphore);
        when(semaphore.forKey("acme")).thenReturn(semaphore);
        when(semaphore.acquire(any(Duration.class))).thenReturn(permit);

        search.searchWithin(Duration.ofSeconds(1), "acme", "teapot");
        verify(permit, times(2)).close();
    }
}
// end::test[]
