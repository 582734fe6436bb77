package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.function.Consumer;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Each value that an annotation states must be valid by itself. */
final class ValueChecks {

    private ValueChecks() {
    }

    static void check(Definitions definitions, Findings findings) {
        for (Definition definition : definitions.all()) {
            String annotation = definition.annotation();
            check(definition.nameText(), SemaphoreSpec::named, MessageCode.RBH001, definition.place(), "@RedisBulkhead",
                    findings);
            definition.permits().ifPresent(permits -> {
                try {
                    SemaphoreSpec.named("any").permits(permits);
                } catch (IllegalArgumentException e) {
                    findings.add(MessageCode.RBH002, definition.place(), annotation + ": " + e.getMessage());
                }
            });
            try {
                SemaphoreSpec.named("any").weight(definition.declaration().weight());
            } catch (IllegalArgumentException e) {
                findings.add(MessageCode.RBH030, definition.place(), annotation + ": " + e.getMessage());
            }
            check(definition.expireText(), DurationText.EXPIRE::parse, MessageCode.RBH003, definition.place(), annotation,
                    findings);
            check(definition.maxWaitText(), DurationText.MAX_WAIT::parse, MessageCode.RBH004, definition.place(), annotation,
                    findings);
        }
    }

    private static void check(MemberText member, Consumer<String> reader, MessageCode code, String place, String annotation,
            Findings findings) {
        member.text().ifPresent(text -> {
            try {
                reader.accept(text);
            } catch (IllegalArgumentException e) {
                findings.add(code, place, annotation + ": " + member.refused(e.getMessage()));
            }
        });
    }

    static void requireResolved(Definitions definitions, Findings findings) {
        for (Definition definition : definitions.all()) {
            Stream.of(definition.nameText(), definition.expireText(), definition.maxWaitText())
                    .flatMap(member -> member.unresolved().stream())
                    .forEach(reason -> findings.add(MessageCode.RBH026, definition.place(),
                            definition.annotation() + ": " + reason));
        }
    }
}
