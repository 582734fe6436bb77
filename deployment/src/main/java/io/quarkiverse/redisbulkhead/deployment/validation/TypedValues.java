package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.smallrye.config.Converters;
import io.smallrye.config.WithParentName;
import io.smallrye.config.common.utils.StringUtil;

/**
 * Checks that a configured text can be converted to the type of the configuration mapping; the message names the expected
 * values. The types come from the methods of the mapping.
 */
final class TypedValues implements EffectiveDefinitions.ValueReader {

    // The converter reads every other text as false.
    private static final Set<String> TRUTH_VALUES = Set.of("true", "false", "yes", "no", "y", "n", "on", "off", "1", "0");

    private record Member(String name, Class<?> type) {
    }

    private final Map<String, Member> members = new HashMap<>();

    TypedValues() {
        add("", RedisBulkheadRuntimeConfig.class);
    }

    private void add(String prefix, Class<?> group) {
        for (Method method : group.getMethods()) {
            String path = prefix
                    + (method.isAnnotationPresent(WithParentName.class) ? "" : StringUtil.skewer(method.getName()));
            Class<?> type = method.getReturnType();
            if (type == Map.class) {
                String map = path.isEmpty() || path.endsWith(".") ? path : path + ".";
                add(map + "*.", argument(method.getGenericReturnType(), 1));
            } else if (type.getEnclosingClass() == RedisBulkheadRuntimeConfig.class) {
                add(path + ".", type);
            } else {
                members.put(path, new Member(method.getName(),
                        type == Optional.class ? argument(method.getGenericReturnType(), 0) : type));
            }
        }
    }

    private static Class<?> argument(Type type, int index) {
        Type argument = ((ParameterizedType) type).getActualTypeArguments()[index];
        return (Class<?>) (argument instanceof ParameterizedType generic ? generic.getRawType() : argument);
    }

    @Override
    public boolean isReadable(String property, ConfigValue value, ValidationErrors errors) {
        Member member = members.get(property);
        Optional<String> expected = member == null ? Optional.empty() : expected(member, value.getValue());
        expected.ifPresent(text -> errors.add(MessageCode.RBH005, value.getName(),
                member.name() + " must be " + text + ", but is '" + value.getValue() + "'"));
        return expected.isEmpty();
    }

    /** The expected values; empty when the text can be converted. */
    private static Optional<String> expected(Member member, String text) {
        if (member.type() == Duration.class) {
            DurationText duration = DurationText.of(member.name());
            return Optional.of("a duration such as " + duration.examples()).filter(any -> !duration.isReadable(text));
        }
        if (member.type() == int.class || member.type() == OptionalInt.class) {
            return Optional.of("a whole number up to " + Integer.MAX_VALUE).filter(any -> !isWholeNumber(text));
        }
        if (member.type() == boolean.class || member.type() == Boolean.class) {
            return Optional.of("true or false").filter(any -> !TRUTH_VALUES.contains(text.trim().toLowerCase(Locale.ROOT)));
        }
        return member.type().isEnum() ? choice(member.type(), text) : Optional.empty();
    }

    private static boolean isWholeNumber(String text) {
        try {
            Integer.parseInt(text.trim());
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static Optional<String> choice(Class<?> type, String text) {
        try {
            Converters.getImplicitConverter(type).convert(text);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            List<String> words = Stream.of(type.getEnumConstants())
                    .map(constant -> StringUtil.skewer(((Enum<?>) constant).name())).toList();
            int last = words.size() - 1;
            return Optional.of(String.join(", ", words.subList(0, last)) + " or " + words.get(last));
        }
    }

    /** The properties that are checked, without prefix. */
    Set<String> properties() {
        return members.keySet();
    }
}
