package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Row;
import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Sum;

class ScenarioTableTest {

    @Test
    void eachGroupHasATableOfItsOwn() {
        Map<Row, Sum> rows = new TreeMap<>(Row.ORDER);
        rows.put(new Row("OutageTest", "restart", "nothing is lost", Store.LOCK), sum(1, 30, 1, 2_345, 0));
        rows.put(new Row("OutageTest", "restart", "nothing is lost", Store.SCRIPT), sum(2, 60, 4, 0, 120));
        rows.put(new Row("CutTest", "cut", "callers notice nothing", Store.SCRIPT), sum(1, 7, 1, 0, 0));

        assertThat(ScenarioTable.text(rows)).isEqualTo("""

                `CutTest`

                [%autowidth]
                |===
                | fault | expected | store | runs | executions | faults | longest recovery | longest excused overlap

                | cut | callers notice nothing | script | 1 | 7 | 1 | - | -
                |===

                `OutageTest`

                [%autowidth]
                |===
                | fault | expected | store | runs | executions | faults | longest recovery | longest excused overlap

                | restart | nothing is lost | script | 2 | 60 | 4 | - | 0.1 s
                | restart | nothing is lost | lock | 1 | 30 | 1 | 2.3 s | -
                |===

                """);
    }

    private static Sum sum(int runs, long executions, long faults, long recovery, long overlap) {
        return new Sum(runs, new Figures(executions, faults, Duration.ofMillis(recovery), Duration.ofMillis(overlap)));
    }
}
