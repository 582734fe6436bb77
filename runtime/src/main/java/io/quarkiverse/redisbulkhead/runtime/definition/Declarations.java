package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.List;
import java.util.Map;

/**
 * What the build found out about the application's bulkheads. The recorder carries it into the application.
 *
 * @param bulkheads one entry per annotation
 * @param namesElsewhere the names, as written, in annotations that are not in force in this build, for example those of another
 *        profile; configuration may hold values for them
 * @param methods one entry per guarded method of a bean
 * @param returning the guarded methods that return something, by the name of each of their bulkheads as written
 * @param inCode what is known about bulkheads that code defines
 * @param properties the names of the extension's properties, as {@link KnownProperties#ofMappings()} returns them
 */
public record Declarations(List<BulkheadDeclaration> bulkheads, List<String> namesElsewhere,
        List<MethodDeclaration> methods, Map<String, List<String>> returning, DefinedInCode inCode, List<String> properties) {
}
