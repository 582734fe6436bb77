package io.quarkiverse.redisbulkhead.runtime.scheduler;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.interceptor.InterceptorBinding;

/** Binds {@link RunTrackingInterceptor} to the {@code skipExecutionIf} predicates of the application. */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TracksRuns {
}
