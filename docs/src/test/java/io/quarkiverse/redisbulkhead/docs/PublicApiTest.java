package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;

/**
 * The public API is what {@code docs/api.txt} lists, so that nothing is taken away unnoticed.
 * {@code -Drenew-reference} rewrites it; the difference is for reviewers.
 */
class PublicApiTest {

    private static final boolean RENEW = Boolean.getBoolean("renew");
    private static final Path LIST = Page.PROJECT.resolve("docs/api.txt");

    @Test
    void publicApiMatchesTheList() throws IOException {
        List<String> api = Stream.concat(PublicApi.besides(RedisBulkhead.class), PublicApi.besides(TestBulkhead.class))
                .toList();
        if (RENEW) {
            Files.write(LIST, api);
        } else {
            assertThat(api).as("public API (if it is to change: ./mvnw test -pl docs -Drenew-reference"
                    + " -Dtest=PublicApiTest)")
                    .containsExactlyElementsOf(Files.readAllLines(LIST));
        }
    }
}
