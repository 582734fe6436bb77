package io.quarkiverse.redisbulkhead.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that pass in the JVM of the build, and are to pass with the native executable too. With an application that is packaged
 * for the JVM they run when they are asked for, by {@code -Dpackaged=all}: there they would tell nothing new.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "packaged", matches = "all")
@interface OnNative {
}
