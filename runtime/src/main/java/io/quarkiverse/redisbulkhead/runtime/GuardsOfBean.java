package io.quarkiverse.redisbulkhead.runtime;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The guards of the methods of one class of beans. A call finds its guard by the method object that the container hands to the
 * interceptor, which is the same at each call.
 */
final class GuardsOfBean {

    private final Function<Method, GuardedCalls> search;
    private final Map<Method, GuardedCalls> known = new ConcurrentHashMap<>();

    /**
     * Knows no method yet.
     *
     * @param search finds the guard of a method when it is called for the first time
     */
    GuardsOfBean(Function<Method, GuardedCalls> search) {
        this.search = search;
    }

    /**
     * What guards the calls of a method.
     *
     * @param method the method that is called
     * @throws IllegalStateException when the build did not find the method, which is a defect of this extension
     */
    GuardedCalls of(Method method) {
        GuardedCalls calls = known.get(method);
        return calls != null ? calls : known.computeIfAbsent(method, search);
    }
}
