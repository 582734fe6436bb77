package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.vertx.redis.client.Redis;

/** The tests run with the permissions that the documentation lists. */
class DocumentedRightsTest {

    @ParameterizedTest
    @EnumSource(TestStore.class)
    void pageListsThePermissionsOfTheTests(TestStore store) throws IOException {
        String page = Files.readString(Path.of("../docs/modules/ROOT/pages/security.adoc"));
        int section = page.indexOf("=== The Redis user");
        int start = page.indexOf("`store=" + store.name().toLowerCase(Locale.ROOT) + "`", section);
        String command = page.substring(page.indexOf("redis-cli", start),
                page.indexOf("----\n", page.indexOf("redis-cli", start)));

        assertThat(words(command)).isEqualTo(Set.copyOf(store.rights()));
    }

    @Test
    void operatorMayRunTheDocumentedCommands() throws IOException {
        String page = Files.readString(Path.of("../docs/modules/ROOT/pages/security.adoc"));
        String command = page.substring(page.indexOf("ACL SETUSER operator"));
        Object[] words = command.substring("ACL ".length(), command.indexOf("----\n")).replace("\\\n", " ").replace("'", "")
                .strip().split("\\s+");
        try (TestRedis redis = new TestRedis()) {
            redis.command("ACL", words);
            Redis operator = Redis.createClient(redis.vertx(), redis.optionsOf("operator"));
            String shares = "redis-bulkhead:{reports}:shares";
            String waiting = "redis-bulkhead:{reports}:waiting";
            Stream.of("PING", "TIME", "SCAN 0 MATCH redis-bulkhead:*:shares", "HGETALL " + shares, "HGET " + shares + " limit",
                    "ZCARD " + waiting, "ZRANGE " + waiting + " 0 -1 WITHSCORES", "MEMORY USAGE " + shares, "INFO memory",
                    "INFO commandstats", "SLOWLOG GET",
                    "ACL LOG").map(one -> one.split(" ", 2))
                    .forEach(one -> redis.command(operator, one[0], one.length == 1 ? new Object[0] : one[1].split(" ")));
            for (String forbidden : List.of("ACL LIST", "DEL " + shares, "HGETALL other")) {
                String[] one = forbidden.split(" ", 2);
                assertThatThrownBy(() -> redis.command(operator, one[0], (Object[]) one[1].split(" ")))
                        .hasStackTraceContaining("NOPERM");
            }
            operator.close();
        }
    }

    private static Set<String> words(String command) {
        List<String> words = List.of(command.replace("\\\n", " ").replace("'", "").replace("redis-bulkhead:", "test:")
                .strip().split("\\s+"));
        assertThat(words.subList(0, 4)).containsExactly("redis-cli", "ACL", "SETUSER", "bulkhead");
        return Stream.of(words.subList(4, words.size())).flatMap(List::stream).collect(Collectors.toSet());
    }
}
