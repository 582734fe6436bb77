package io.quarkiverse.redisbulkhead;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that overrides a method with {@link RedisBulkhead}, and deliberately takes no permit. Annotations of
 * methods are not inherited, so an overriding method without either of the two annotations fails the build.
 *
 * <pre>
 * {@literal @}Override
 * {@literal @}Unguarded
 * public Report render() { ... }
 * </pre>
 *
 * It does not exempt a method from a {@link RedisBulkhead} on the class.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Unguarded {
}
