package io.quarkiverse.langchain4j;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the annotation of Quarkus LangChain4j, which is not among the dependencies of the tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface RegisterAiService {
}
