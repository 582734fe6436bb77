package io.quarkiverse.redisbulkhead;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a guarded method whose value is the key: the bulkhead then has one limit for each value, for
 * example one for each tenant or host.
 *
 * <pre>
 * {@literal @}RedisBulkhead(name = "pages", permits = 3)
 * Page fetch({@literal @}BulkheadKey String host, String path) { ... }
 * </pre>
 *
 * A key may be any text of any length. The parameter is a {@code String} or another {@code CharSequence}, a number,
 * {@code boolean} or {@code char} or one of their wrappers, an enum, a {@code UUID}, a {@code URI} or a value of
 * {@code java.time}; for anything else, and for a key that depends on several parameters, use a {@link BulkheadKeyResolver}. A
 * call whose key is {@code null} fails with {@link IllegalArgumentException} and takes no permit.
 * A request to a REST resource method whose key is missing or malformed fails with {@link InvalidBulkheadKeyException}.
 * <p>
 * Every method of a bulkhead with keys must have a key, from a parameter or a resolver. The annotation is not inherited: if a
 * method is overridden, annotate the parameter of the overriding method.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface BulkheadKey {

    /**
     * The bulkhead that the key is for. It may be left out if the method has only one bulkhead.
     *
     * @return the name, as it is written in {@link RedisBulkhead#name()}; empty for the only one
     */
    String value() default "";
}
