package io.quarkiverse.redisbulkhead;

import java.util.concurrent.Callable;

/**
 * A {@link Callable} whose checked exceptions the compiler knows, so that callers need not handle others. Usually a
 * lambda; pass another {@code Callable} as {@code callable::call}.
 *
 * @param <T> what it returns
 * @param <E> the checked exception that it throws; for a lambda that throws none, the compiler takes {@link RuntimeException}
 */
@FunctionalInterface
public interface CheckedCallable<T, E extends Exception> extends Callable<T> {

    @Override
    T call() throws E;
}
