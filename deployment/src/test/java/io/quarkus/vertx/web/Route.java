package io.quarkus.vertx.web;

import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of Quarkus Reactive Routes, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Route.Routes.class)
public @interface Route {

    String path() default "";

    HandlerType type() default HandlerType.NORMAL;

    enum HandlerType {
        NORMAL,
        BLOCKING,
        FAILURE
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Routes {

        Route[] value();
    }
}
