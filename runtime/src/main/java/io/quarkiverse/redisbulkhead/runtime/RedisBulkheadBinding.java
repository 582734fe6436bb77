package io.quarkiverse.redisbulkhead.runtime;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.interceptor.InterceptorBinding;

/**
 * Binds the interceptor to whatever carries {@link io.quarkiverse.redisbulkhead.RedisBulkhead}. The build adds it;
 * applications do not use it. It stands apart from the public annotation because CDI resolves repeated bindings by
 * rules of its own, and because misplaced annotations are to be reported together instead of one by one.
 */
@Inherited
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface RedisBulkheadBinding {
}
