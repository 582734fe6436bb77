package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rights that the documentation lists are those that the tests run with. */
class DocumentedRightsTest {

    @ParameterizedTest
    @EnumSource(TestStore.class)
    void thePageListsTheRightsOfTheTests(TestStore store) throws IOException {
        String page = Files.readString(Path.of("../docs/modules/ROOT/pages/security.adoc"));
        int section = page.indexOf("=== The Redis user");
        int start = page.indexOf("`store=" + store.name().toLowerCase(Locale.ROOT) + "`", section);
        String command = page.substring(page.indexOf("redis-cli", start),
                page.indexOf("----\n", page.indexOf("redis-cli", start)));

        assertThat(words(command)).isEqualTo(Set.copyOf(store.rights()));
    }

    private static Set<String> words(String command) {
        List<String> words = List.of(command.replace("\\\n", " ").replace("'", "").replace("redis-bulkhead:", "test:")
                .strip().split("\\s+"));
        assertThat(words.subList(0, 4)).containsExactly("redis-cli", "ACL", "SETUSER", "bulkhead");
        return Stream.of(words.subList(4, words.size())).flatMap(List::stream).collect(Collectors.toSet());
    }
}
