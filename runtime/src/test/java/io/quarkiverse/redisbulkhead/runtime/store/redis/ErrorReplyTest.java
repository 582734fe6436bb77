package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.UnknownHostException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages say of failures, without the secrets in what the client reports. */
class ErrorReplyTest {

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
        assertThat(ErrorReply.redacted(text)).contains("***").doesNotContain("hunter2");
        assertThat(ErrorReply.reason(new ConnectException(text))).contains("***").doesNotContain("hunter2");
        assertThat(new ErrorReply(text).explanation("quarkus.redis")).contains("***").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({ "Connection refused: localhost/127.0.0.1:6379",
            "WRONGPASS invalid username-password pair or user is disabled.",
            "NOAUTH Authentication required.", "redis://host:6379/1", "a@b" })
    void otherTextIsUnchanged(String text) {
        assertThat(ErrorReply.redacted(text)).isEqualTo(text);
    }

    @Test
    void reasonContainsTheRootCause() {
        Exception first = new IllegalStateException("no path to redis://:hunter2@host");
        assertThat(ErrorReply.reason(new IllegalArgumentException("no TLS", new RuntimeException("wrapped", first))))
                .isEqualTo("no TLS: no path to redis://***@host");
        assertThat(ErrorReply.reason(new RuntimeException(first)))
                .isEqualTo(new RuntimeException(first).getMessage().replace(":hunter2", "***"));
        assertThat(ErrorReply.reason(first)).isEqualTo("no path to redis://***@host");
        assertThat(ErrorReply.reason(new UnknownHostException("redis.example"))).isEqualTo("unknown host: redis.example");
    }

    @Test
    void circleOfCausesHasAReason() {
        Exception secret = new ConnectException("redis://:hunter2@host");
        secret.initCause(new IllegalStateException("circle", secret));
        assertThat(ErrorReply.reason(secret)).contains("***").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is"
                    + " correct?, Check quarkus.redis.password",
            "ERR DB index is out of range, Change the database number",
            "ERR SELECT is not allowed in cluster mode, only database 0" })
    void settingsThatRefuseTheConnectionHaveARemedy(String reply, String remedy) {
        assertThat(new ErrorReply(reply).refusesConnection()).isTrue();
        assertThat(new ErrorReply(reply).explanation("quarkus.redis")).contains(remedy);
    }

    /** Redis 6.2 has another text for large commands. */
    @ParameterizedTest
    @ValueSource(strings = { "NOAUTH Authentication required.", "ERR Protocol error: unauthenticated multibulk length" })
    void missingAuthenticationIsNamedOnce(String reply) {
        assertThat(new ErrorReply(reply).explanation("quarkus.redis")).containsOnlyOnce("Authentication required")
                .containsIgnoringCase("set quarkus.redis.password, or a user");
    }
}
