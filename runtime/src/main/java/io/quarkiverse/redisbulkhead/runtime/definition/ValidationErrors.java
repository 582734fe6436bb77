package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkus.runtime.configuration.ConfigurationException;

/** What is wrong with annotations and configuration, collected to be reported together. Not thread-safe. */
public final class ValidationErrors {

    /**
     * One mistake.
     *
     * @param code its number
     * @param location the class, method or property; empty when the text names it
     * @param text what is wrong, and how to fix it
     */
    public record ValidationError(MessageCode code, String location, String text) {

        private static final Comparator<ValidationError> ORDER = Comparator.comparing(ValidationError::location)
                .thenComparing(ValidationError::code).thenComparing(ValidationError::text);

        @Override
        public String toString() {
            return code + " " + (location.isEmpty() ? "" : location + ": ") + text;
        }
    }

    // Each once: several places may share a value that is wrong, and several beans may inherit a method.
    private final Set<ValidationError> errors = new HashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /**
     * Adds a mistake.
     *
     * @param code its number
     * @param location the class, method or property; empty when the text names it
     * @param text what is wrong, and how to fix it
     */
    public void add(MessageCode code, String location, String text) {
        errors.add(new ValidationError(code, location, text));
    }

    /**
     * Adds what looks like a mistake, but need not be one.
     *
     * @param code its number
     * @param location the class, method or property
     * @param text what may be wrong, and how to fix it
     */
    public void warn(MessageCode code, String location, String text) {
        warnings.add(code + " " + location + ": " + text + (text.endsWith("?") ? " " : ". ") + code.whereExplained());
    }

    /**
     * What looks like a mistake, but need not be one.
     *
     * @return for the log
     */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * What was added.
     *
     * @return by location
     */
    public List<ValidationError> all() {
        return errors.stream().sorted(ValidationError.ORDER).toList();
    }

    int size() {
        return errors.size();
    }

    /**
     * The report of all mistakes.
     *
     * @return numbered, with the page that explains them at the end
     */
    public String report() {
        StringBuilder report = new StringBuilder();
        Set<MessageCode> codes = EnumSet.noneOf(MessageCode.class);
        int number = 0;
        for (ValidationError error : all()) {
            report.append("\n  ").append(++number).append(". ").append(error);
            codes.add(error.code());
        }
        return "Found " + number + (number == 1 ? " mistake" : " mistakes") + " in the use or configuration of @RedisBulkhead:"
                + report + "\n" + MessageCode.whereExplained(codes);
    }

    /**
     * Ends the validation of the configuration at start-up.
     *
     * @throws ConfigurationException with the report, if there are mistakes
     */
    public void throwIfAny() {
        if (!errors.isEmpty()) {
            throw new ConfigurationException(report());
        }
    }
}
