package io.quarkiverse.redisbulkhead.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that run in the JVM of the build, and also with the native executable. With an application packaged for the JVM,
 * they add nothing and run only with {@code -Dpackaged=all}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "packaged", matches = "all")
@interface OnNative {
}
