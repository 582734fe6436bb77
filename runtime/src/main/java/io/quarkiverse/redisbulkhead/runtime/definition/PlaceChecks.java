package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** One method takes at most one permit of a bulkhead. */
final class PlaceChecks {

    private PlaceChecks() {
    }

    static void check(Definitions definitions, Findings findings) {
        Map<String, List<Definition>> byPlace = definitions.all().stream()
                .collect(Collectors.groupingBy(Definition::place, LinkedHashMap::new, Collectors.toList()));
        byPlace.forEach((place, there) -> there.stream()
                .collect(Collectors.groupingBy(definition -> definition.nameText().shown(), TreeMap::new, Collectors.toList()))
                .forEach((name, same) -> {
                    if (same.size() > 1) {
                        findings.add(MessageCode.RBH009, place, Texts.annotation(name) + " stands here more than once"
                                + written(same) + ", so each call would take several permits of one bulkhead."
                                + " Keep one of them, or use different names");
                    }
                }));
    }

    private static String written(List<Definition> same) {
        return same.stream().noneMatch(definition -> definition.nameText().isExpression()) ? ""
                : same.stream().map(definition -> '"' + definition.declaration().name() + '"')
                        .collect(Collectors.joining(" and ", ", as ", ""));
    }
}
