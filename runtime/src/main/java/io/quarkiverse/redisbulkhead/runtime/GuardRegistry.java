package io.quarkiverse.redisbulkhead.runtime;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.MultiGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.OpenGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.StageGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.UniGuard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * The guard of each guarded method. All of them are made at start-up from what the build found; a call looks its
 * guard up by the method object that the container hands to the interceptor.
 */
@Singleton
public class GuardRegistry {

    private record Signature(String beanClass, String method, List<String> parameterTypes) {
    }

    private record Target(Class<?> type, Method method) {
    }

    private final Map<Signature, Guard> declared = new HashMap<>();
    private final Map<Target, Guard> known = new ConcurrentHashMap<>();

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
                    guard(method, bulkheads, runtime));
        }
    }

    private static Guard guard(GuardedMethod method, BulkheadRegistry bulkheads, BulkheadRuntime runtime) {
        List<String> names = method.bulkheads().stream().map(GuardedBulkhead::name).map(bulkheads::resolved).toList();
        List<Semaphore> semaphores = names.stream()
                .map(bulkheads::core)
                .toList();
        if (names.stream().noneMatch(bulkheads::isEnabled)) {
            return new OpenGuard(semaphores.stream().map(Semaphore::uncountedPermit).toList());
        }
        Supplier<Admission> admissions = () -> runtime.executions().admit(semaphores, method.label());
        Continuations continuations = runtime.continuations();
        String first = semaphores.get(0).spec().name();
        return switch (method.returns()) {
            case SYNCHRONOUS -> new SynchronousGuard(method.label(), first, admissions);
            case UNI -> new UniGuard(first, admissions, continuations);
            case MULTI -> new MultiGuard(first, admissions, continuations);
            case STAGE -> new StageGuard(first, admissions, continuations);
        };
    }

    /**
     * The guard of a method.
     *
     * @param type the class of the bean instance, which may be the subclass that the container generated
     * @param method the method that is called
     * @return never null
     * @throws IllegalStateException when the build did not find the method, which is a defect of this extension
     */
    Guard guardOf(Class<?> type, Method method) {
        Target target = new Target(type, method);
        Guard guard = known.get(target);
        return guard != null ? guard : known.computeIfAbsent(target, this::find);
    }

    // Upwards, because the container puts a subclass of its own below the bean's class, and a spy of a test another one below that.
    private Guard find(Target target) {
        Method method = target.method();
        List<String> parameterTypes = Arrays.stream(method.getParameterTypes()).map(Class::getName).toList();
        for (Class<?> type = target.type(); type != null; type = type.getSuperclass()) {
            Guard guard = declared.get(new Signature(type.getName(), method.getName(), parameterTypes));
            if (guard != null) {
                return guard;
            }
        }
        throw new IllegalStateException("@RedisBulkhead: the build found no bulkhead for " + method + " of "
                + target.type().getName() + ", though the container intercepts it. This is a defect of quarkus-redis-bulkhead; "
                + "please report it");
    }
}
