package io.quarkiverse.redisbulkhead.deployment.management;

import static org.eclipse.microprofile.openapi.OASFactory.createAPIResponse;
import static org.eclipse.microprofile.openapi.OASFactory.createAPIResponses;
import static org.eclipse.microprofile.openapi.OASFactory.createComponents;
import static org.eclipse.microprofile.openapi.OASFactory.createContent;
import static org.eclipse.microprofile.openapi.OASFactory.createMediaType;
import static org.eclipse.microprofile.openapi.OASFactory.createOperation;
import static org.eclipse.microprofile.openapi.OASFactory.createParameter;
import static org.eclipse.microprofile.openapi.OASFactory.createPathItem;
import static org.eclipse.microprofile.openapi.OASFactory.createPaths;
import static org.eclipse.microprofile.openapi.OASFactory.createRequestBody;
import static org.eclipse.microprofile.openapi.OASFactory.createTag;

import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;

import io.quarkiverse.redisbulkhead.runtime.management.ManagementEndpoint;

/** Adds the management endpoint to an OpenAPI document. */
public final class ManagementDescription implements OASFilter {

    private static final String TAG = "Redis Bulkhead";
    private static final String JSON = "application/json";
    private static final String PROBLEM_JSON = "application/problem+json";

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
        if (document.getComponents() == null) {
            document.setComponents(createComponents());
        }
        ManagementSchemas.addTo(document.getComponents());
        if (document.getPaths() == null) {
            document.setPaths(createPaths());
        }
        document.addTag(createTag().name(TAG).description("Who holds and who waits for the permits of each bulkhead"));
        document.getPaths().addPathItem(path, createPathItem().GET(list()));
        document.getPaths().addPathItem(path + "/{name}", createPathItem().GET(show()));
        if (changes) {
            document.getPaths().addPathItem(path + "/{name}/permits/{permitId}", createPathItem().DELETE(revoke()));
            document.getPaths().addPathItem(path + "/{name}/limit", limit());
        }
    }

    private static Operation list() {
        return operation("list", "All bulkheads",
                "Those that this application declares, and all others that are in use under the"
                        + " same key prefix. What was read within the last second is told again.")
                .addParameter(most())
                .responses(answers("The bulkheads", ManagementSchemas.BULKHEADS));
    }

    private static Operation show() {
        return operation("show", "One bulkhead", "As in the list of all.")
                .addParameter(name()).addParameter(most())
                .responses(answers("The bulkhead", ManagementSchemas.BULKHEAD)
                        .addAPIResponse("404", problem("There is no such bulkhead")));
    }

    private static Operation revoke() {
        return operation("revoke", "Take a permit away",
                "The execution continues, unless on-lost=interrupt is configured for it. It"
                        + " learns of the loss with its next renewal, or earlier.")
                .addParameter(name())
                .addParameter(pathParameter("permitId", "The permit, as the list of holders tells it"))
                .addParameter(key())
                .responses(changes("The permit is free").addAPIResponse("404", problem("There is no such bulkhead or permit"))
                        .addAPIResponse("409", problem("It is behind a lock")));
    }

    private static PathItem limit() {
        Operation set = operation("setLimit", "Set the limit", "For all applications, at once; executions above a smaller limit"
                + " finish. It stays in force until it is reset, or the bulkhead was not used for 30 days.")
                .addParameter(name()).addParameter(key())
                .requestBody(createRequestBody().required(true).content(content(JSON, ManagementSchemas.NEW_LIMIT)))
                .responses(changes("The limit is in force").addAPIResponse("404", problem("There is no such bulkhead"))
                        .addAPIResponse("409", problem("It is behind a lock"))
                        .addAPIResponse("413", problem("The body is too long"))
                        .addAPIResponse("415", problem("The body is not JSON")));
        Operation reset = operation("resetLimit", "Reset the limit", "Every application goes by its own definition again.")
                .addParameter(name()).addParameter(key())
                .responses(changes("No limit is set").addAPIResponse("404", problem("There is no such bulkhead"))
                        .addAPIResponse("409", problem("It is behind a lock")));
        return createPathItem().PUT(set).DELETE(reset);
    }

    private static Operation operation(String id, String summary, String description) {
        return createOperation().operationId("redis_bulkhead_" + id).addTag(TAG).summary(summary).description(description);
    }

    private static Parameter name() {
        return pathParameter("name", "The bulkhead");
    }

    private static Parameter pathParameter(String name, String description) {
        return createParameter().name(name).in(Parameter.In.PATH).required(true).description(description)
                .schema(ManagementSchemas.text());
    }

    private static Parameter key() {
        return query("key", "Which key, where the bulkhead has one limit for each; only there")
                .schema(ManagementSchemas.text());
    }

    private static Parameter most() {
        return query("most", "How many holders, and how many waiters, to list for each limit").schema(ManagementSchemas
                .count(0, ManagementEndpoint.MOST_LISTED).defaultValue(ManagementEndpoint.USUALLY_LISTED));
    }

    private static Parameter query(String name, String description) {
        return createParameter().name(name).in(Parameter.In.QUERY).description(description);
    }

    private static APIResponses answers(String description, String schema) {
        return common().addAPIResponse("200", createAPIResponse().description(description).content(content(JSON, schema)));
    }

    private static APIResponses changes(String description) {
        return common().addAPIResponse("204", createAPIResponse().description(description));
    }

    private static APIResponses common() {
        return createAPIResponses().addAPIResponse("400", problem("The request is wrong"))
                .addAPIResponse("503", problem("Redis is away or refuses commands"));
    }

    private static APIResponse problem(String description) {
        return createAPIResponse().description(description).content(content(PROBLEM_JSON, ManagementSchemas.PROBLEM));
    }

    private static Content content(String type, String schema) {
        return createContent().addMediaType(type, createMediaType().schema(ManagementSchemas.ref(schema)));
    }
}
