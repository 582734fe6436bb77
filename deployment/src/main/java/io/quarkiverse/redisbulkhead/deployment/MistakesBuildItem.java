package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;

import io.quarkiverse.redisbulkhead.deployment.validation.Mistake;
import io.quarkus.builder.item.SimpleBuildItem;

/** What is wrong with the use of the annotation. */
final class MistakesBuildItem extends SimpleBuildItem {

    private final List<Mistake> mistakes;

    MistakesBuildItem(List<Mistake> mistakes) {
        this.mistakes = List.copyOf(mistakes);
    }

    List<Mistake> mistakes() {
        return mistakes;
    }
}
