package io.quarkiverse.redisbulkhead.runtime;

import java.util.function.UnaryOperator;

/** Finds what is in the results of guarded methods that are wrappers, such as responses; returns other results unchanged. */
public interface ResultContent extends UnaryOperator<Object> {
}
