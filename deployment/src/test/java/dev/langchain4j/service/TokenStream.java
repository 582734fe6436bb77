package dev.langchain4j.service;

/** Stands for the type of LangChain4j, which is not among the dependencies of the tests. */
public interface TokenStream {
}
