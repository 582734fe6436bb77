package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.is;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;

/** An application's mapper for the base exception of rejections wins over that of the extension. */
class OwnExceptionMapperTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class, OwnMapper.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false");

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void rejectionsGoToTheMapperOfTheApplication() {
        try (Permit taken = bulkheads.semaphore("reports").tryAcquire().orElseThrow()) {
            when().get("/reports").then().statusCode(418).body(is("BulkheadFullException"));
        }
        when().get("/reports").then().statusCode(200);
    }

    /** It is no bulkhead exception. */
    @Test
    void otherRefusalsAreMappedAsBefore() {
        when().get("/reports/of").then().statusCode(400).contentType("application/problem+json");
    }

    @Path("reports")
    public static class Reports {

        @GET
        @RedisBulkhead(name = "reports", permits = 1)
        public String report() {
            return "report";
        }

        @GET
        @Path("of")
        @RedisBulkhead(name = "reports-of", permits = 1)
        public String of(@BulkheadKey @jakarta.ws.rs.QueryParam("tenant") String tenant) {
            return tenant;
        }
    }

    @Provider
    public static class OwnMapper implements ExceptionMapper<BulkheadException> {

        @Override
        public Response toResponse(BulkheadException rejection) {
            return Response.status(418).entity(rejection.getClass().getSimpleName()).build();
        }
    }
}
