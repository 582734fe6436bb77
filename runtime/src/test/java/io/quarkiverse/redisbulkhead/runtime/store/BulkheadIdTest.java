package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class BulkheadIdTest {

    @Test
    void orderIsConsistentWithEquals() {
        BulkheadId name = BulkheadId.of("a");
        List<BulkheadId> inOrder = List.of(name, name.forKey(""), name.forKey("a"), name.forKey("b"), BulkheadId.of("b"));
        for (int i = 0; i < inOrder.size(); i++) {
            for (int j = 0; j < inOrder.size(); j++) {
                assertThat(Integer.signum(inOrder.get(i).compareTo(inOrder.get(j)))).isEqualTo(Integer.compare(i, j));
            }
        }
        List<BulkheadId> shuffled = new ArrayList<>(inOrder);
        Collections.shuffle(shuffled);
        assertThat(shuffled.stream().sorted().toList()).isEqualTo(inOrder);
    }

    /** An attacker may send keys with equal hash codes; maps then use their order. */
    @Test
    void keysWithEqualHashCodesAreFound() {
        Map<BulkheadId, AtomicLong> map = new HashMap<>();
        List<String> keys = colliding(11);
        keys.forEach(key -> map.computeIfAbsent(BulkheadId.of("a").forKey(key), any -> new AtomicLong()).incrementAndGet());

        assertThat(keys).hasSize(2_048);
        assertThat(keys.stream().mapToInt(String::hashCode).distinct().count()).isEqualTo(1);
        assertThat(map).hasSize(keys.size()).allSatisfy((id, count) -> assertThat(count).hasValue(1));
    }

    private static List<String> colliding(int parts) {
        List<String> texts = List.of("");
        for (int i = 0; i < parts; i++) {
            texts = texts.stream().flatMap(text -> List.of(text + "Aa", text + "BB").stream()).toList();
        }
        return texts;
    }

    /** Keys may be any text, and confidential. */
    @Test
    void toStringOmitsTheKey() {
        assertThat(BulkheadId.of("tenants").forKey("secret\n")).hasToString("tenants (one of its keys)");
        assertThat(BulkheadId.of("reports")).hasToString("reports");
    }
}
