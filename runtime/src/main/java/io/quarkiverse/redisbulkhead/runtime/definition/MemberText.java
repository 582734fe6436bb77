package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.smallrye.common.expression.Expression;
import io.smallrye.common.expression.Expression.Flag;

/** A text in an annotation, in which <code>${...}</code> stands for a property just as it does in configuration. */
final class MemberText {

    // Those with which the configuration reads its own values.
    private static final Flag[] SYNTAX = { Flag.LENIENT_SYNTAX, Flag.NO_TRIM, Flag.NO_SMART_BRACES, Flag.DOUBLE_COLON };

    private static final String ANYTHING = "\0";

    private final String member;
    private final String written;
    private final Set<String> properties = new LinkedHashSet<>();
    private String text;
    private String unresolved;

    private MemberText(String member, String written) {
        this.member = member;
        this.written = written;
    }

    /**
     * Resolves a text as far as its properties are known.
     *
     * @param member the member of the annotation
     * @param written what is written there
     * @param config knows the properties
     */
    static MemberText of(String member, String written, Config config) {
        MemberText result = new MemberText(member, written);
        if (isExpression(written)) {
            result.resolve(config);
        } else {
            result.text = written;
        }
        return result;
    }

    /** Whether the text depends on configuration. Other dollar signs stand for themselves. */
    static boolean isExpression(String written) {
        return written.contains("${");
    }

    private static Expression parse(String written) {
        return Expression.compile(written.replace("\\$", "$$"), SYNTAX);
    }

    private void resolve(Config config) {
        try {
            text = parse(written).<UnresolvedException> evaluateException((context, target) -> {
                String property = context.getKey();
                ConfigValue value = valueOf(property, config);
                if (value.getValue() != null) {
                    properties.add(property);
                    target.append(value.getValue());
                } else if (value.getRawValue() == null && context.hasDefault()) {
                    context.expandDefault(target);
                } else {
                    throw new UnresolvedException(property, value.getRawValue());
                }
            });
        } catch (UnresolvedException e) {
            unresolved = e.getMessage();
        }
    }

    private static ConfigValue valueOf(String property, Config config) throws UnresolvedException {
        try {
            return config.getConfigValue(property);
        } catch (IllegalArgumentException e) {
            throw new UnresolvedException(property, e);
        }
    }

    /** What the text says; empty when it refers to something that is not set. */
    Optional<String> text() {
        return Optional.ofNullable(text);
    }

    /** What the text says, or what is written where that is not known. */
    String shown() {
        return text().orElse(written);
    }

    boolean isExpression() {
        return isExpression(written);
    }

    /** Which property has no value, and how to fix that; empty when the text is resolved. */
    Optional<String> unresolved() {
        return Optional.ofNullable(unresolved).map(reason -> member + " refers to " + reason);
    }

    /**
     * Says why the value is refused, and where it comes from.
     *
     * @param reason begins with the name of the member, and contains the value
     */
    String refused(String reason) {
        if (!isExpression()) {
            return reason;
        }
        String origin = properties.isEmpty() ? "its default" : String.join(", ", properties);
        String rule = reason.startsWith(member + " ") ? reason.substring(member.length() + 1) : reason;
        return member + " = \"" + written + "\", which is '" + text + "' by " + origin + ": " + rule;
    }

    /** What the text may be with other configuration, which may be prepared for; empty when it is no expression. */
    Optional<Pattern> possible() {
        return isExpression() ? Optional.of(pattern(written)) : Optional.empty();
    }

    /** What a text may become, whatever is configured. */
    static Pattern pattern(String written) {
        return pattern(written, UnaryOperator.identity());
    }

    /** As {@link #pattern(String)}, with each part that is not an expression translated. */
    static Pattern pattern(String written, UnaryOperator<String> translation) {
        String open = isExpression(written) ? parse(written).evaluate((context, target) -> target.append(ANYTHING)) : written;
        return pattern(open.split(ANYTHING, -1), translation);
    }

    /** Matches texts with these parts, each translated, and anything between them. */
    static Pattern pattern(String[] parts, UnaryOperator<String> translation) {
        return Pattern.compile(Stream.of(parts).map(translation).map(Pattern::quote).collect(Collectors.joining(".*")),
                Pattern.DOTALL);
    }

    /** A property has no value. */
    private static final class UnresolvedException extends Exception {

        private static final long serialVersionUID = 1L;

        UnresolvedException(String property, String raw) {
            super(raw == null
                    ? property + ", which is not set. Set it, or provide a default, as in ${" + property + ":default}"
                    : property + ", which is set to '" + raw + "', and that cannot be resolved. Set what it refers to");
        }

        UnresolvedException(String property, IllegalArgumentException cause) {
            super(property + ", which cannot be read: " + cause.getMessage(), cause);
        }
    }
}
