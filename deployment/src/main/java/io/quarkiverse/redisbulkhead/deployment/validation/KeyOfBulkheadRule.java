package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jboss.jandex.Declaration;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Texts;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;

/** A key must be for a bulkhead of its method. */
final class KeyOfBulkheadRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Set<EquivalenceKey> reported = usage.idle().stream()
                .map(AnnotatedElement::declaration)
                .map(EquivalenceKey::of)
                .collect(Collectors.toSet());
        for (KeyParameter key : usage.idleKeys()) {
            // What makes their bulkhead idle is the mistake, and other rules tell it.
            if (!isReported(key.method(), reported)) {
                mistakes.accept(
                        new Mistake(MessageCode.RBH016, key.place(),
                                KeyTexts.annotation(key) + " has no effect, because " + reason(key.method(), usage)));
            }
        }
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null) {
                guard.strayKeys().stream().filter(KeyParameter::namesBulkhead)
                        .forEach(key -> mistakes.accept(new Mistake(MessageCode.RBH016, key.place(), text(key, guard))));
            }
        }
    }

    private static boolean isReported(MethodInfo method, Set<EquivalenceKey> reported) {
        return List.<Declaration> of(method, method.declaringClass()).stream().map(EquivalenceKey::of)
                .anyMatch(reported::contains);
    }

    private static String reason(MethodInfo method, BulkheadUsage usage) {
        Optional<String> overriding = usage.guards().stream()
                .filter(guard -> guard.losesKey() && guard.overrides(method, usage.superclasses()))
                .map(GuardedBeanMethod::place).sorted().findFirst();
        if (overriding.isPresent()) {
            return overriding.get()
                    + " overrides the method, and annotations of parameters are not inherited. Mark the parameter"
                    + " there, too";
        }
        if (method.isConstructor()) {
            return "a constructor cannot be guarded. Remove it, or put it on the method that @RedisBulkhead guards";
        }
        if (Modifier.isStatic(method.flags())) {
            return "the method is static, so no bulkhead guards it. Remove it, or make the method an instance method of a bean";
        }
        if (Modifier.isPrivate(method.flags())) {
            return "the method is private, so no bulkhead guards it. Remove it, or make the method package-private or more visible";
        }
        if (method.declaringClass().isInterface()) {
            return "no bulkhead guards this method of an interface. Put it on the implementing method, beside @RedisBulkhead;"
                    + " on REST clients, put @RedisBulkhead on the interface or its method";
        }
        if (Modifier.isAbstract(method.flags())) {
            return "no bulkhead guards an abstract method. Put it on the implementing method, beside @RedisBulkhead";
        }
        return "no bulkhead guards this method. Put @RedisBulkhead on the method or on its class, which must be a bean,"
                + " or remove @BulkheadKey";
    }

    private static String text(KeyParameter key, GuardedBeanMethod guard) {
        List<String> known = NearestNames.to(key.bulkhead(), guard.bulkheads().stream().map(WrittenBulkhead::name).toList());
        String hint = NearestNames.isNear(key.bulkhead(), known.get(0)) ? " Did you mean " + Texts.quoted(known.get(0)) + "?"
                : "";
        return KeyTexts.annotation(key) + " names no bulkhead of this method." + hint + " Those there are: "
                + known.stream().map(Texts::quoted).collect(Collectors.joining(", "));
    }
}
