package io.quarkiverse.redisbulkhead.deployment.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;

import io.smallrye.openapi.runtime.io.Format;
import io.smallrye.openapi.runtime.io.OpenApiParser;

/** Adds {@code openapi.yaml}, which describes the management endpoint, to the document of the application. */
final class ManagementDescription implements OASFilter {

    private static final String FILE = "openapi.yaml";
    private static final String PATH_IN_FILE = "/q/redis-bulkhead";

    private final String path;
    private final boolean changes;

    /**
     * @param path where the endpoint is
     * @param changes whether it also changes things
     */
    ManagementDescription(String path, boolean changes) {
        this.path = path;
        this.changes = changes;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        OpenAPI endpoint = read();
        if (document.getComponents() == null) {
            document.setComponents(OASFactory.createComponents());
        }
        endpoint.getComponents().getSchemas().forEach(document.getComponents()::addSchema);
        if (document.getPaths() == null) {
            document.setPaths(OASFactory.createPaths());
        }
        endpoint.getTags().forEach(document::addTag);
        endpoint.getPaths().getPathItems().forEach((where, item) -> {
            if (changes || item.getGET() != null) {
                document.getPaths().addPathItem(path + where.substring(PATH_IN_FILE.length()), item);
            }
        });
    }

    private static OpenAPI read() {
        try (InputStream file = ManagementDescription.class.getResourceAsStream(FILE)) {
            return OpenApiParser.parse(file, Format.YAML, null);
        } catch (IOException e) {
            throw new UncheckedIOException("The OpenAPI document of the management endpoint cannot be read", e);
        }
    }
}
