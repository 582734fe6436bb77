package io.quarkiverse.redisbulkhead.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;

/**
 * Guards the calls of one method: holds the strategy for its return type, and finds the semaphores that a call must pass.
 * Made when the application starts. Thread-safe.
 */
final class GuardedMethod {

    private final String label;
    private final Guard guard;
    private final Executions executions;
    private final List<SemaphoreOfCall> semaphores;
    // Null when no call is ever skipped.
    private final Supplier<Skips> skips;
    // What every call passes; null where the arguments decide.
    private final List<Semaphore> same;

    /**
     * Puts the parts together.
     *
     * @param label how operators see the method
     * @param guard the strategy for its return type
     * @param semaphores find the semaphores, in the order in which permits are acquired
     * @param executions counts the calls
     * @param skips tells which full bulkheads skip the call that is being made, or null for none; null when no call is ever
     *        skipped
     */
    GuardedMethod(String label, Guard guard, List<SemaphoreOfCall> semaphores, Executions executions, Supplier<Skips> skips) {
        this.label = label;
        this.guard = guard;
        this.executions = executions;
        this.semaphores = semaphores;
        this.skips = skips;
        this.same = same(semaphores);
    }

    private static List<Semaphore> same(List<SemaphoreOfCall> semaphores) {
        List<Semaphore> same = new ArrayList<>(semaphores.size());
        for (SemaphoreOfCall one : semaphores) {
            if (!(one instanceof Fixed fixed)) {
                return null;
            }
            same.add(fixed.semaphore());
        }
        return same;
    }

    /**
     * Makes one call.
     *
     * @param invocation has its arguments, and runs the method
     * @return what the guard makes of its result
     * @throws Exception what the method threw, or the rejection
     */
    Object call(InvocationContext invocation) throws Exception {
        Skips ofCall = skips == null ? null : skips.get();
        Call call = new Call(this, invocation, ofCall);
        return (ofCall == null ? guard : ofCall.guard()).call(call, call);
    }

    private List<Semaphore> semaphores(InvocationContext invocation) {
        List<Semaphore> all = same == null ? semaphores(invocation.getParameters()) : same;
        return guard.isBlocking() ? HeldPermits.nested(all) : all;
    }

    private List<Semaphore> semaphores(Object[] arguments) {
        List<Semaphore> all = new ArrayList<>(semaphores.size());
        for (SemaphoreOfCall one : semaphores) {
            all.add(one.of(arguments));
        }
        return all;
    }

    // One object for both roles: every call allocates it.
    private record Call(GuardedMethod method, InvocationContext invocation,
            Skips skips) implements Supplier<Admission>, Guard.SuspendingCall {

        @Override
        public Admission get() {
            List<Semaphore> semaphores = method.semaphores(invocation);
            return method.executions.admit(skips == null ? semaphores : skippable(semaphores), method.label,
                    method.guard.isBlocking() ? BlockingWait.occupies() : WaitsOn.NO_WORKER_THREAD);
        }

        private List<Semaphore> skippable(List<Semaphore> semaphores) {
            return semaphores.stream().map(semaphore -> skips.bulkheads().contains(semaphore.spec().name())
                    ? semaphore.whenFull(full -> new SkippedException(full, skips.listener()))
                    : semaphore).toList();
        }

        @Override
        public Object call() throws Exception {
            return invocation.proceed();
        }

        @Override
        public Object continuation() {
            Object[] arguments = invocation.getParameters();
            return arguments[arguments.length - 1];
        }

        @Override
        public Object call(Object continuation) throws Exception {
            Object[] arguments = invocation.getParameters();
            Object[] replaced = arguments.clone();
            replaced[arguments.length - 1] = continuation;
            invocation.setParameters(replaced);
            try {
                return invocation.proceed();
            } finally {
                // An interceptor that retries calls again with the arguments that it knows.
                invocation.setParameters(arguments);
            }
        }
    }

    /**
     * Which full bulkheads skip a call.
     *
     * @param bulkheads their names
     * @param guard the strategy for such calls
     * @param listener receives what a skipped call would have failed with; must not block
     */
    record Skips(Set<String> bulkheads, Guard guard, Consumer<BulkheadFullException> listener) {
    }

    /** Finds the semaphore of a call; where a bulkhead has keys, that of the call's key. */
    @FunctionalInterface
    interface SemaphoreOfCall {

        /**
         * Finds it.
         *
         * @param arguments those of the call
         * @throws IllegalArgumentException when the key is null
         */
        Semaphore of(Object[] arguments);

        /** All calls have the same. */
        static SemaphoreOfCall fixed(Semaphore semaphore) {
            return new Fixed(semaphore);
        }

        /**
         * A parameter holds the key.
         *
         * @param semaphore the bulkhead
         * @param method the guarded method, for messages
         * @param parameter which one
         */
        static SemaphoreOfCall byParameter(Semaphore semaphore, String method, KeyOrigin.Parameter parameter) {
            return arguments -> {
                Object value = arguments[parameter.index()];
                String key = value instanceof Enum<?> constant ? constant.name() : value == null ? null : value.toString();
                if (key == null) {
                    semaphore.refuse(method, CallResult.INVALID_KEY);
                    throw new IllegalArgumentException(method + ": the parameter " + parameter.name() + " is null, but it is"
                            + " the key of bulkhead '" + semaphore.spec().name()
                            + "' (@BulkheadKey). Pass a value, or reject the call earlier");
                }
                return semaphore.forKey(key, OptionalInt.empty());
            };
        }

        /**
         * A parameter holds the weight.
         *
         * @param semaphore finds the semaphore of a call
         * @param method the guarded method, for messages
         * @param index the position of the parameter, from 0
         */
        static SemaphoreOfCall weighedByParameter(SemaphoreOfCall semaphore, String method, int index) {
            return arguments -> {
                Semaphore ofCall = semaphore.of(arguments);
                long weight = arguments[index] instanceof Number number ? number.longValue() : 0;
                if (weight < 1) {
                    ofCall.refuse(method, CallResult.INVALID_WEIGHT);
                    throw new IllegalArgumentException(method + ": the weight of the call (@BulkheadWeight) must be at least 1,"
                            + " but is " + arguments[index] + ". It is how much the call takes of bulkhead '"
                            + ofCall.spec().name() + "'");
                }
                return ofCall.forCallWeighing(weight, method);
            };
        }

        /**
         * A bean resolves the key of each call.
         *
         * @param semaphore the bulkhead
         * @param method the guarded method
         * @param type the class that the annotation names, for messages
         * @param resolver finds the bean
         */
        static SemaphoreOfCall byResolver(Semaphore semaphore, String method, String type,
                Supplier<BulkheadKeyResolver> resolver) {
            String bulkhead = semaphore.spec().name();
            return arguments -> {
                ResolvedKey key = resolver.get().resolve(new BulkheadCall(bulkhead, method, Arrays.asList(arguments)));
                if (key == null) {
                    semaphore.refuse(method, CallResult.INVALID_KEY);
                    throw new IllegalArgumentException(method + ": " + type + " returned null instead of the key of "
                            + "bulkhead '" + bulkhead + "'. Return ResolvedKey.of(key), or throw an "
                            + "exception to reject the call");
                }
                Semaphore ofKey = semaphore.forKey(key.key(), key.permits());
                return key.weight().isEmpty() ? ofKey : ofKey.forCallWeighing(key.weight().getAsInt(), method);
            };
        }
    }

    private record Fixed(Semaphore semaphore) implements SemaphoreOfCall {

        @Override
        public Semaphore of(Object[] arguments) {
            return semaphore;
        }
    }
}
