package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Collection;
import java.util.TreeSet;

import jakarta.enterprise.inject.spi.DefinitionException;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Turns all mistakes of an application into one exception, one numbered line each. */
public final class MistakeReport {

    private MistakeReport() {
    }

    /**
     * Reports mistakes, each once.
     *
     * @param mistakes at least one
     * @return what the build fails with
     */
    public static DefinitionException of(Collection<Mistake> mistakes) {
        StringBuilder message = new StringBuilder();
        Collection<Mistake> sorted = new TreeSet<>(mistakes);
        message.append("Found ").append(sorted.size()).append(sorted.size() == 1 ? " mistake" : " mistakes")
                .append(" in the use or configuration of @RedisBulkhead:");
        int number = 0;
        for (Mistake mistake : sorted) {
            message.append("\n  ").append(++number).append(". ").append(mistake);
        }
        message.append("\n").append(MessageCode.WHERE_EXPLAINED);
        return new DefinitionException(message.toString());
    }
}
