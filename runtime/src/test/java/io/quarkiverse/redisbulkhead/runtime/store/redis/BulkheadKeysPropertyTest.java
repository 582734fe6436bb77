package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Developers choose names and users choose keys: none gives access to the data of another. */
class BulkheadKeysPropertyTest {

    private static final String PREFIX = "p";

    @Provide
    Arbitrary<String> texts() {
        return HostileTexts.any();
    }

    @Provide
    Arbitrary<BulkheadId> bulkheads() {
        Arbitrary<BulkheadId> names = HostileTexts.names().map(BulkheadId::of);
        return Arbitraries.oneOf(names, Combinators.combine(names, HostileTexts.any()).as(BulkheadId::forKey));
    }

    /** Generated from few words, so that some of a hundred are similar. */
    @Property(tries = 100)
    void differentBulkheadsHaveNoRedisKeyInCommon(@ForAll("manyBulkheads") Set<BulkheadId> bulkheads) {
        List<String> keys = bulkheads.stream().flatMap(id -> keys(id).stream()).toList();
        assertThat(new HashSet<>(keys)).hasSameSizeAs(keys);
    }

    @Provide
    Arbitrary<Set<BulkheadId>> manyBulkheads() {
        return bulkheads().set().ofMinSize(50).ofMaxSize(100);
    }

    /** A name with a key differs from any other name, however the text is split. */
    @Property
    void keyIsNotPartOfTheName(@ForAll("names") String name, @ForAll("texts") String key) {
        BulkheadId keyed = BulkheadId.of(name).forKey(key);
        for (String glue : List.of("", "%", "%:", "%#", ":")) {
            Stream.of(BulkheadId.of(name + glue + key), BulkheadId.of(name + glue).forKey(key),
                    BulkheadId.of(name).forKey(glue + key)).filter(other -> !other.equals(keyed))
                    .forEach(other -> assertThat(keys(other)).doesNotContainAnyElementsOf(keys(keyed)));
        }
    }

    @Provide
    Arbitrary<String> names() {
        return HostileTexts.names();
    }

    /** Trap 23: one slot in a cluster. */
    @Property
    void allKeysHaveOneHashTag(@ForAll("bulkheads") BulkheadId bulkhead) {
        assertThat(keys(bulkhead)).hasSize(new BulkheadKeys(PREFIX, bulkhead).data().size() + 1).allSatisfy(key -> {
            assertThat(key).startsWith(PREFIX + ":{").containsOnlyOnce("{").containsOnlyOnce("}");
            assertThat(hashTag(key)).isNotEmpty().isEqualTo(hashTag(keys(bulkhead).get(0)));
        });
    }

    @Property
    void redisKeyIsParsedBackToTheBulkhead(@ForAll("bulkheads") BulkheadId bulkhead) {
        String shares = new BulkheadKeys(PREFIX, bulkhead).shares();
        Optional<BulkheadId> found = BulkheadKeys.idOf(PREFIX, shares);

        if (found.isPresent()) {
            assertThat(found).contains(bulkhead);
        } else {
            assertThat(BulkheadKeys.nameOfDigest(PREFIX, shares)).contains(bulkhead.name());
        }
    }

    /** Other applications may use the same Redis. */
    @Property
    void foreignKeysAreHarmless(@ForAll("texts") String text) {
        for (String key : List.of(text, PREFIX + ":{" + text, PREFIX + ":{" + text + "}:shares",
                PREFIX + ":{a%:" + text + "}:shares", PREFIX + ":{a%#" + text + "}:shares")) {
            BulkheadKeys.idOf(PREFIX, key);
            BulkheadKeys.nameOfDigest(PREFIX, key);
        }
    }

    /** Messages contain nothing of the key. */
    @Property
    void messagesContainOnlyTheBulkheadName(@ForAll("names") String name, @ForAll("texts") String one,
            @ForAll("texts") String other) {
        assertThat(shown(BulkheadId.of(name).forKey(one))).isEqualTo(shown(BulkheadId.of(name).forKey(other)));
    }

    private static String shown(BulkheadId bulkhead) {
        return new BulkheadKeys(PREFIX, bulkhead).shown();
    }

    private static List<String> keys(BulkheadId bulkhead) {
        BulkheadKeys keys = new BulkheadKeys(PREFIX, bulkhead);
        return List.of(keys.shares(), keys.waiting(), keys.lock());
    }

    private static String hashTag(String key) {
        return key.substring(key.indexOf('{') + 1, key.indexOf('}'));
    }
}
