package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;

/**
 * All that the build found out about the application's bulkheads.
 *
 * @param bulkheads one entry per name
 * @param methods one entry per guarded method of a bean
 */
public record Declarations(List<BulkheadDeclaration> bulkheads, List<GuardedMethod> methods) {
}
