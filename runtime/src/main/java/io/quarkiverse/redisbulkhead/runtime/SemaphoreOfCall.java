package io.quarkiverse.redisbulkhead.runtime;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/** Finds the semaphore that a call of a guarded method must pass: where a bulkhead has keys, that of the call's key. */
@FunctionalInterface
interface SemaphoreOfCall {

    /**
     * Finds it.
     *
     * @param arguments those of the call
     * @return the semaphore
     * @throws IllegalArgumentException when the key is null
     */
    Semaphore of(Object[] arguments);

    /**
     * Where all calls have the key that a parameter holds.
     *
     * @param semaphore the bulkhead
     * @param method the guarded method, for messages
     * @param parameter which one
     */
    static SemaphoreOfCall byParameter(Semaphore semaphore, String method, KeyOrigin.Parameter parameter) {
        return arguments -> semaphore.forKey(text(arguments[parameter.index()], semaphore, method, parameter),
                OptionalInt.empty());
    }

    private static String text(Object value, Semaphore semaphore, String method, KeyOrigin.Parameter parameter) {
        String text = value instanceof Enum<?> constant ? constant.name() : value == null ? null : value.toString();
        if (text == null) {
            throw new IllegalArgumentException(method + ": the parameter " + parameter.name() + " is null, but it is the key of"
                    + " bulkhead '" + semaphore.spec().name() + "' (@BulkheadKey). Give it a value, or refuse the call before");
        }
        return text;
    }

    /**
     * Where a bean tells the key of each call.
     *
     * @param semaphore the bulkhead
     * @param method the guarded method
     * @param type the class that the annotation names, for messages
     * @param resolver tells the key
     */
    static SemaphoreOfCall byResolver(Semaphore semaphore, String method, String type,
            Supplier<BulkheadKeyResolver> resolver) {
        String bulkhead = semaphore.spec().name();
        return arguments -> {
            ResolvedKey key = resolver.get().resolve(new BulkheadCall(bulkhead, method, Arrays.asList(arguments)));
            if (key == null) {
                throw new IllegalArgumentException(method + ": " + type + " answered null, but must tell"
                        + " the key of bulkhead '" + bulkhead + "'. Answer with ResolvedKey.of(key), or throw an exception to"
                        + " refuse the call");
            }
            return semaphore.forKey(key.key(), key.permits());
        };
    }
}
