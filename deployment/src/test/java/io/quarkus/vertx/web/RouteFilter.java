package io.quarkus.vertx.web;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of Quarkus Reactive Routes, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface RouteFilter {
}
