package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;

class FailuresTest {

    final StoreException away = new StoreException("away", false, new IllegalStateException("closed"));

    @Test
    void completionExceptionsAreUnwrapped() {
        assertThat(Failures.cause(away)).isSameAs(away);
        assertThat(Failures.cause(new CompletionException(away))).isSameAs(away);
        assertThat(Failures.cause(new CompletionException(new CompletionException(away)))).isSameAs(away);
    }

    @Test
    void exceptionWithoutCauseIsKept() {
        CompletionException empty = new CompletionException("empty", null);

        assertThat(Failures.cause(empty)).isSameAs(empty);
        assertThat(Failures.cause(null)).isNull();
    }
}
