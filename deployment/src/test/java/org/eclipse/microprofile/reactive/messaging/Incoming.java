package org.eclipse.microprofile.reactive.messaging;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of MicroProfile Reactive Messaging, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Incoming {

    String value();
}
