package io.quarkiverse.redisbulkhead.deployment.validation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The type of a key must be one whose values have a text that depends on the value alone. */
final class KeyTypeRule implements Rule {

    private static final Set<DotName> WITH_TEXT = Stream.of(
            CharSequence.class, String.class, StringBuilder.class, StringBuffer.class, CharBuffer.class,
            Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class, Character.class, Boolean.class,
            BigInteger.class, BigDecimal.class, Enum.class, UUID.class, URI.class,
            DayOfWeek.class, Duration.class, Instant.class, LocalDate.class, LocalDateTime.class, LocalTime.class, Month.class,
            MonthDay.class, OffsetDateTime.class, OffsetTime.class, Period.class, Year.class, YearMonth.class, ZoneId.class,
            ZoneOffset.class, ZonedDateTime.class)
            .map(DotName::createSimple)
            .collect(Collectors.toUnmodifiableSet());

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (GuardedBeanMethod guard : usage.guards()) {
            for (KeyParameter key : guard.keys()) {
                if (!hasText(key.type(), usage.classes())) {
                    mistakes.accept(new Mistake(MessageCode.RBH019, key.place(), KeyTexts.annotation(key) + ": values of type "
                            + key.type()
                            + " have no text that could be a key. Use a keyResolver, or a parameter that is a String or another"
                            + " CharSequence, a primitive or its wrapper, a BigInteger, BigDecimal, enum, UUID, URI or value of"
                            + " java.time"));
                }
            }
        }
    }

    // The name of a type variable is that of its first bound.
    private static boolean hasText(Type type, IndexView classes) {
        if (type.kind() == Type.Kind.ARRAY) {
            return false;
        }
        return type.kind() == Type.Kind.PRIMITIVE || WITH_TEXT.contains(type.name())
                || isEnum(classes.getClassByName(type.name()));
    }

    private static boolean isEnum(ClassInfo type) {
        return type != null && type.isEnum();
    }
}
