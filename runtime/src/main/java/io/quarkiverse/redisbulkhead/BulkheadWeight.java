package io.quarkiverse.redisbulkhead;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a guarded method that says how much of the limit the call takes, for example the size of a batch, or
 * the tokens of a request to a language model.
 *
 * <pre>
 * {@literal @}RedisBulkhead(name = "model", permits = 8_000)
 * Answer ask(String question, {@literal @}BulkheadWeight int tokens) { ... }
 * </pre>
 *
 * The parameter is an {@code int}, {@code long} or {@code short}, or one of their wrappers. A call whose weight is {@code null}
 * or below 1 fails with {@link IllegalArgumentException}, and one whose weight is above the limit with
 * {@link BulkheadFullException}: immediately, and without a permit.
 * <p>
 * It takes the place of {@link RedisBulkhead#weight()}, of the configured weight, and of {@link ResolvedKey#weight()}. The
 * annotation is not inherited: if a method is overridden, annotate the parameter of the overriding method.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface BulkheadWeight {

    /**
     * The bulkhead that the weight is for. It may be left out if the method has only one bulkhead.
     *
     * @return the name, as it is written in {@link RedisBulkhead#name()}; empty for the only one
     */
    String value() default "";
}
