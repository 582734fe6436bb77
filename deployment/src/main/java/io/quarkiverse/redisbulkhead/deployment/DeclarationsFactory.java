package io.quarkiverse.redisbulkhead.deployment;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.Definitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.Declarations;
import io.quarkiverse.redisbulkhead.runtime.GuardedMethod;

/** Makes what the application needs at run time from a usage that keeps all rules. */
final class DeclarationsFactory {

    private DeclarationsFactory() {
    }

    static Declarations of(BulkheadUsage usage) {
        ReturnKinds kinds = new ReturnKinds(usage.index());
        List<BulkheadDeclaration> bulkheads = new Definitions(usage.elements()).byName().values().stream()
                .map(DeclarationsFactory::bulkhead)
                .toList();
        List<GuardedMethod> methods = usage.guards().stream()
                .map(guard -> method(guard, kinds))
                .toList();
        return new Declarations(bulkheads, methods);
    }

    private static BulkheadDeclaration bulkhead(List<Definition> definitions) {
        WrittenBulkhead any = definitions.get(0).bulkhead();
        int permits = definitions.stream()
                .map(Definition::bulkhead)
                .filter(WrittenBulkhead::statesPermits)
                .mapToInt(WrittenBulkhead::permits)
                .findFirst()
                .orElse(RedisBulkhead.PERMITS_UNSET);
        Duration expire = Lease.parse(any.expire());
        return new BulkheadDeclaration(any.name(), permits, any.fair(), expire, Definitions.places(definitions));
    }

    private static GuardedMethod method(Guard guard, ReturnKinds kinds) {
        return new GuardedMethod(guard.bean().name().toString(), guard.method().name(),
                ErasedTypes.parametersOf(guard.method()), kinds.of(guard.returns()).orElseThrow(), guard.label(),
                guard.bulkheads().stream().map(WrittenBulkhead::name).toList());
    }
}
