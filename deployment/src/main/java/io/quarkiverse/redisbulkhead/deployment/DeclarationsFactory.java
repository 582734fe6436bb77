package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Optional;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.ErasedTypes;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyResolvers;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.KnownProperties;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration.KeyOrigin;

/** Creates the run-time metadata from a valid usage. */
final class DeclarationsFactory {

    private DeclarationsFactory() {
    }

    static Declarations of(BulkheadUsage usage) {
        List<MethodDeclaration> methods = usage.guards().stream()
                .map(guard -> method(guard, usage))
                .toList();
        return new Declarations(usage.declarations(), usage.namesElsewhere(), methods, usage.returning(), usage.inCode(),
                KnownProperties.ofMappings());
    }

    private static MethodDeclaration method(GuardedBeanMethod guard, BulkheadUsage usage) {
        return new MethodDeclaration(guard.bean().name().toString(), guard.method().name(),
                ErasedTypes.parametersOf(guard.method()), usage.returnKinds().of(guard).orElseThrow(), guard.label(),
                guard.bulkheads().stream()
                        .map(bulkhead -> new BulkheadUse(bulkhead.name(), bulkhead.weight(),
                                key(guard, bulkhead, usage.keyResolvers())))
                        .toList());
    }

    private static KeyOrigin key(GuardedBeanMethod guard, WrittenBulkhead bulkhead, KeyResolvers resolvers) {
        Optional<KeyOrigin> parameter = guard.keysOf(bulkhead).stream().findFirst()
                .map(key -> new KeyOrigin.Parameter(key.index(), key.name()));
        return parameter.or(() -> bulkhead.keyResolver().map(type -> resolver(type, resolvers))).orElseGet(KeyOrigin.None::new);
    }

    private static KeyOrigin resolver(DotName type, KeyResolvers resolvers) {
        return new KeyOrigin.Resolver(resolvers.bean(type).orElseThrow().getIdentifier(), type.toString());
    }
}
