package kotlin.coroutines;

/**
 * Stands in for Kotlin's own, which is not on the class path: what matters is its name as the last parameter of a
 * method.
 *
 * @param <T> the result
 */
public interface Continuation<T> {
}
