package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Removes secrets from what the client reports. */
class RedactedTest {

    @ParameterizedTest
    @ValueSource(strings = {
            "redis://:hunter2@host:6379",
            "rediss://user:hunter2@host",
            "Cannot connect to any of the provided endpoints\n- redis://:hunter2@a:1: refused\n- redis://u:hunter2@b:2: refused",
            "redis://:p@hunter2@host",
            "redis://host?user=u&password=hunter2&db=1",
            "redis://host?PASSWORD=hunter2",
            "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'hunter2' ",
            "ERR unknown command `AUTH`, with args beginning with: `hunter2`, " })
    void secretsAreMasked(String text) {
        assertThat(Redacted.text(text)).contains("***").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({ "Connection refused: localhost/127.0.0.1:6379",
            "WRONGPASS invalid username-password pair or user is disabled.",
            "NOAUTH Authentication required.", "redis://host:6379/1", "a@b" })
    void otherTextIsUnchanged(String text) {
        assertThat(Redacted.text(text)).isEqualTo(text);
    }

    @Test
    void failureWithoutSecretsIsReturnedUnchanged() {
        Exception failure = new ConnectException("Connection refused");
        assertThat(Redacted.failure(failure)).isSameAs(failure);
        assertThat(Redacted.failure(null)).isNull();
        assertThat(Redacted.text(null)).isNull();
    }

    /** Logs print all parts of a failure. */
    @Test
    void noPartOfAFailureContainsSecrets() {
        Exception secret = new ConnectException("redis://:hunter2@host");
        Exception suppressing = new ConnectException("refused");
        suppressing.addSuppressed(secret);
        Exception circle = new IllegalStateException("circle", secret);
        secret.initCause(new IllegalStateException(circle));

        for (Throwable failure : Stream.of(secret, suppressing, circle, new IllegalStateException(secret))
                .map(Redacted::failure)
                .toList()) {
            StringWriter printed = new StringWriter();
            failure.printStackTrace(new PrintWriter(printed));
            assertThat(printed.toString()).contains("Exception").doesNotContain("hunter2");
        }
    }

    @Test
    void reasonContainsTheRootCause() {
        Exception first = new IllegalStateException("no path to redis://:hunter2@host");
        assertThat(Redacted.reason(new IllegalArgumentException("no TLS", new RuntimeException("wrapped", first))))
                .isEqualTo("no TLS: no path to redis://***@host");
        assertThat(Redacted.reason(new RuntimeException(first))).isEqualTo(new RuntimeException(first).getMessage().replace(
                ":hunter2", "***"));
        assertThat(Redacted.reason(first)).isEqualTo("no path to redis://***@host");
    }
}
