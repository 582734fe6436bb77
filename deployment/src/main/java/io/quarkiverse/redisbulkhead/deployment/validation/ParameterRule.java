package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * A parameter that is a key belongs to exactly one bulkhead of its method, has a type whose values have a text, and is the only
 * key of that bulkhead. One that is the weight of a call is a whole number, and the only weight of a bulkhead.
 */
final class ParameterRule implements Rule {

    private static final Set<DotName> WITH_TEXT = Stream.of(
            CharSequence.class, String.class, StringBuilder.class, StringBuffer.class, CharBuffer.class,
            Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class, Character.class, Boolean.class,
            BigInteger.class, BigDecimal.class, Enum.class, UUID.class, URI.class)
            .map(DotName::createSimple)
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<DotName> NUMBERS = Stream
            .of(int.class, long.class, short.class, Integer.class, Long.class, Short.class)
            .map(type -> DotName.createSimple(type.getName())).collect(Collectors.toUnmodifiableSet());

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.idleParameters().forEach(parameter -> checkIdle(parameter, usage, errors));
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null) {
                guard.strayKeys().forEach(key -> {
                    if (key.namesBulkhead()) {
                        errors.add(MessageCode.RBH016, key.place(), unknownBulkhead(key, guard));
                    } else {
                        errors.add(MessageCode.RBH017, key.place(), ambiguous(key, guard));
                    }
                });
                checkWeights(guard, errors);
            }
            checkOneKey(guard, errors);
            checkTypes(guard, usage, errors);
        }
    }

    private static void checkIdle(AnnotatedParameter parameter, BulkheadUsage usage, ValidationErrors errors) {
        // Otherwise the cause is the idle bulkhead, which another rule reports.
        if (usage.idle().stream().noneMatch(element -> element.covers(parameter.method()))) {
            errors.add(parameter.isKey() ? MessageCode.RBH016 : MessageCode.RBH038, parameter.place(),
                    parameter.annotationText() + " has no effect, because " + reason(parameter, usage));
        }
    }

    private static String reason(AnnotatedParameter parameter, BulkheadUsage usage) {
        Optional<String> overriding = usage.guards().stream()
                .filter(guard -> guard.losesKeyOf(parameter, usage.classes()))
                .map(GuardedBeanMethod::place).sorted().findFirst();
        if (overriding.isPresent()) {
            return overriding.get()
                    + " overrides the method, and parameter annotations are not inherited. Annotate the parameter "
                    + "there, too";
        }
        if (parameter.isKey() && Modifier.isAbstract(parameter.method().flags())) {
            return "no bulkhead guards an abstract method. Put it on the implementing method, beside @RedisBulkhead; on REST"
                    + " clients and AI services, put @RedisBulkhead on the interface or its method";
        }
        return "no bulkhead guards this method. Put @RedisBulkhead on the method or on its class, which must be a bean,"
                + " or remove @" + parameter.annotation().name().withoutPackagePrefix();
    }

    private static String unknownBulkhead(AnnotatedParameter key, GuardedBeanMethod guard) {
        List<String> known = NearestNames.to(key.bulkhead(),
                guard.bulkheads().stream().map(BulkheadDeclaration::name).toList());
        return key.annotationText() + " does not name a bulkhead of this method."
                + NearestNames.hint(key.bulkhead(), known, "\"")
                + " Available: " + known.stream().map(Texts::quoted).collect(Collectors.joining(", "));
    }

    private static String ambiguous(AnnotatedParameter key, GuardedBeanMethod guard) {
        return key.annotationText() + " does not say which bulkhead it is for, and the method has several: "
                + names(guard) + ". Name one of them, as in @BulkheadKey(" + Texts.quoted(guard.bulkheads().get(0).name())
                + ")";
    }

    private static String names(GuardedBeanMethod guard) {
        return guard.bulkheads().stream().map(bulkhead -> Texts.quoted(bulkhead.name())).collect(Collectors.joining(", "));
    }

    private static void checkOneKey(GuardedBeanMethod guard, ValidationErrors errors) {
        for (BulkheadDeclaration bulkhead : guard.bulkheads()) {
            List<String> keys = new ArrayList<>(guard.keysOf(bulkhead).stream().map(AnnotatedParameter::text).toList());
            bulkhead.keyResolver().ifPresent(type -> keys
                    .add(keyResolver(type) + (guard.comesFromClass() ? " on " + guard.source().place() : "")));
            if (keys.size() > 1) {
                errors.add(MessageCode.RBH018, guard.keys().get(0).place(), Texts.annotation(bulkhead.name())
                        + " has several keys here: " + String.join(", ", keys)
                        + ". Keep one of them; a keyResolver can make one key from several parameters");
            }
        }
    }

    private static void checkTypes(GuardedBeanMethod guard, BulkheadUsage usage, ValidationErrors errors) {
        for (AnnotatedParameter key : guard.keys()) {
            if (!hasText(key.type(), usage.classes().index())) {
                errors.add(MessageCode.RBH019, key.place(), key.annotationText() + ": values of type "
                        + key.type()
                        + " cannot be used as a key. Use a keyResolver, or a parameter that is a String or another "
                        + "CharSequence, a primitive or its wrapper, a BigInteger, BigDecimal, enum, UUID, URI or "
                        + "value of java.time");
            }
        }
    }

    // The name of a type variable is that of its first bound.
    private static boolean hasText(Type type, IndexView classes) {
        ClassInfo known = classes.getClassByName(type.name());
        return type.kind() == Type.Kind.PRIMITIVE || type.kind() != Type.Kind.ARRAY
                && (WITH_TEXT.contains(type.name()) || "java.time".equals(type.name().packagePrefix())
                        || known != null && known.isEnum());
    }

    private static void checkWeights(GuardedBeanMethod guard, ValidationErrors errors) {
        if (guard.weights().size() > 1) {
            reportWeight(guard.weights().get(1), "is the second weight of this method. Keep one of them", errors);
        }
        for (AnnotatedParameter weight : guard.weights()) {
            if (!NUMBERS.contains(weight.type().name())) {
                reportWeight(weight, "must be an int, long or short, or one of their wrappers, but is " + weight.type(),
                        errors);
            }
            BulkheadDeclaration bulkhead = guard.bulkheads().stream().filter(each -> guard.isFor(weight, each)).findFirst()
                    .orElse(null);
            if (bulkhead == null) {
                reportWeight(weight, "does not name a bulkhead of this method. Name one of " + names(guard)
                        + ", as in @BulkheadWeight(" + Texts.quoted(guard.bulkheads().get(0).name()) + ")", errors);
            } else if (bulkhead.values().containsKey("weight")) {
                reportWeight(weight,
                        "is beside weight = " + bulkhead.values().get("weight") + " of " + Texts.annotation(bulkhead.name())
                                + ". Keep one of them",
                        errors);
            }
        }
    }

    private static void reportWeight(AnnotatedParameter weight, String what, ValidationErrors errors) {
        errors.add(MessageCode.RBH038, weight.place(), weight.annotationText() + " " + what);
    }

    /** The member of the annotation as people write it. */
    static String keyResolver(String type) {
        return "keyResolver = " + type + ".class";
    }
}
