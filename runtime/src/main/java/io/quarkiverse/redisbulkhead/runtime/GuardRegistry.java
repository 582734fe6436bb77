package io.quarkiverse.redisbulkhead.runtime;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.MultiGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.OpenGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.StageGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.UniGuard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * The guard of each guarded method. All of them are made at start-up from what the build found.
 */
@Singleton
public class GuardRegistry {

    private record Signature(String beanClass, String method, List<String> parameterTypes) {
    }

    private final Map<Signature, GuardedCalls> declared = new HashMap<>();
    private final Map<Class<?>, GuardsOfBean> beans = new ConcurrentHashMap<>();

    /**
     * Makes the guards.
     *
     * @param declarations what the build found
     * @param bulkheads the bulkheads with their configuration
     * @param runtime what they run on
     */
    @Inject
    public GuardRegistry(Declarations declarations, BulkheadRegistry bulkheads, BulkheadRuntime runtime) {
        for (GuardedMethod method : declarations.methods()) {
            declared.put(new Signature(method.beanClass(), method.name(), method.parameterTypes()),
                    calls(method, bulkheads, runtime));
        }
    }

    private static GuardedCalls calls(GuardedMethod method, BulkheadRegistry bulkheads, BulkheadRuntime runtime) {
        return new GuardedCalls(guard(method, bulkheads, runtime), semaphores(method, bulkheads), method.label(),
                runtime.executions());
    }

    // Without keys they are the same for all calls.
    private static Function<Object[], List<Semaphore>> semaphores(GuardedMethod method, BulkheadRegistry bulkheads) {
        List<SemaphoreOfCall> each = method.bulkheads().stream()
                .map(bulkhead -> semaphoreOfCall(bulkhead, method.label(), bulkheads))
                .toList();
        Function<Object[], List<Semaphore>> ofCall = arguments -> each.stream().map(one -> one.of(arguments)).toList();
        if (method.bulkheads().stream().anyMatch(bulkhead -> !(bulkhead.key() instanceof KeyOrigin.None))) {
            return ofCall;
        }
        List<Semaphore> same = ofCall.apply(new Object[0]);
        return arguments -> same;
    }

    private static SemaphoreOfCall semaphoreOfCall(GuardedBulkhead bulkhead, String method, BulkheadRegistry bulkheads) {
        String name = bulkheads.resolved(bulkhead.name());
        Semaphore semaphore = bulkheads.core(name, bulkhead.weight());
        if (!bulkheads.isEnabled(name)) {
            return arguments -> semaphore;
        }
        if (bulkhead.key() instanceof KeyOrigin.Parameter parameter) {
            return SemaphoreOfCall.byParameter(semaphore, method, parameter);
        }
        if (bulkhead.key() instanceof KeyOrigin.Resolver resolver) {
            return SemaphoreOfCall.byResolver(semaphore, method, resolver.type(), new ResolverBean(resolver.bean()));
        }
        return arguments -> semaphore;
    }

    private static Guard guard(GuardedMethod method, BulkheadRegistry bulkheads, BulkheadRuntime runtime) {
        List<String> names = method.bulkheads().stream().map(GuardedBulkhead::name).map(bulkheads::resolved).toList();
        if (names.stream().noneMatch(bulkheads::isEnabled)) {
            return new OpenGuard(names.stream().map(bulkheads::core).map(Semaphore::uncountedPermit).toList());
        }
        Continuations continuations = runtime.continuations();
        String first = bulkheads.core(names.get(0)).spec().name();
        return switch (method.returns()) {
            case SYNCHRONOUS -> new SynchronousGuard(method.label(), first);
            case UNI -> new UniGuard(first, continuations);
            case MULTI -> new MultiGuard(first, continuations);
            case STAGE -> new StageGuard(first, continuations);
        };
    }

    /**
     * What guards the calls of a bean.
     *
     * @param bean the class of the bean instance, which may be the subclass that the container generated
     * @return never null
     */
    GuardsOfBean of(Class<?> bean) {
        return beans.computeIfAbsent(bean, type -> new GuardsOfBean(method -> find(type, method)));
    }

    // Upwards, because the container puts a subclass of its own below the bean's class, and a spy of a test another one below that.
    private GuardedCalls find(Class<?> bean, Method method) {
        List<String> parameterTypes = Arrays.stream(method.getParameterTypes()).map(Class::getName).toList();
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            GuardedCalls calls = declared.get(new Signature(type.getName(), method.getName(), parameterTypes));
            if (calls != null) {
                return calls;
            }
        }
        throw new IllegalStateException("@RedisBulkhead: the build found no bulkhead for " + method + " of "
                + bean.getName() + ", though the container intercepts it. This is a defect of quarkus-redis-bulkhead; "
                + "please report it");
    }
}
