package dev.langchain4j.service;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of LangChain4j, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface UserMessage {

    String[] value();
}
