package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Figures;
import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Row;
import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Sum;

class ScenarioTableTest {

    @Test
    void eachGroupHasAHeadingAndEachStoreItsColumns() {
        Map<Row, Map<Store, Sum>> rows = new TreeMap<>(Row.ORDER);
        rows.put(new Row("OutageTest", "restart", "nothing is lost"),
                Map.of(Store.SCRIPT, sum(2, 1_000, 4, 0, 120), Store.LOCK, sum(1, 30, 1, 2_345, 0)));
        rows.put(new Row("CutTest", "cut", "calls are not affected"), Map.of(Store.SCRIPT, sum(1, 7, 1, 0, 0)));

        assertThat(ScenarioTable.text(rows)).isEqualTo("""

                Runs for each scenario and store: 1 to 2. In all: 1,037 executions, 6 faults. Longest excused overlap: 0.1 s.

                [%autowidth]
                |===
                | fault | expected | `script`, s | `lock`, s

                4+h| `CutTest`
                | cut | calls are not affected | - | not run

                4+h| `OutageTest`
                | restart | nothing is lost | - | 2.3
                |===

                """);
    }

    private static Sum sum(int runs, long executions, long faults, long recovery, long overlap) {
        return new Sum(runs, new Figures(executions, faults, Duration.ofMillis(recovery), Duration.ofMillis(overlap)));
    }
}
