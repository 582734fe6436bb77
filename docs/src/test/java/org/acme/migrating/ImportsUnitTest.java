package org.acme.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;

// tag::test[]
class ImportsUnitTest {

    private final RedisBulkheads bulkheads = mock(RedisBulkheads.class);
    private final RedisSemaphore semaphore = mock(RedisSemaphore.class);
    private final Imports imports = new Imports(bulkheads);

    @Test
    void theFileIsImportedUnderAPermit() {
        Permit permit = mock(Permit.class);
        when(bulkheads.semaphore(Imports.IMPORTS)).thenReturn(semaphore);
        when(semaphore.tryAcquire()).thenReturn(Optional.of(permit));

        assertThat(imports.importLines("four")).contains(4);
        verify(permit).close();
    }

    @Test
    void withoutAPermitNothingIsImported() {
        when(bulkheads.semaphore(Imports.IMPORTS)).thenReturn(semaphore);
        when(semaphore.tryAcquire()).thenReturn(Optional.empty());

        assertThat(imports.importLines("four")).isEmpty();
    }
}
// end::test[]
