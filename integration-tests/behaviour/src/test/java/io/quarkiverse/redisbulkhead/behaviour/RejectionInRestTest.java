package io.quarkiverse.redisbulkhead.behaviour;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

@QuarkusTest
class RejectionInRestTest {

    @Test
    void fullIsTheConfiguredStatusAndAProblem() {
        String retryAfter = when().get("/full").then().statusCode(503).contentType("application/problem+json")
                .body("type", is("about:blank"))
                .body("status", is(503))
                .body("title", is("Too many concurrent executions"))
                .body("detail", is("All 5 permits of bulkhead 'a \"quoted\" <name>' are taken"))
                .body("bulkhead", is("a \"quoted\" <name>"))
                .extract().header("Retry-After");
        assertThat(retryAfter).as("Trap 28").isIn("1", "2");
    }

    @Test
    void heldLockIsReportedAsAFullBulkhead() {
        when().get("/locked").then().statusCode(503).contentType("application/problem+json")
                .header("Retry-After", not("0"))
                .body("title", is("Locked"))
                .body("detail", is("Lock 'orders' is held by another"))
                .body("bulkhead", is("lock:orders"));
    }

    /** Trap 17: retrying cannot help. */
    @Test
    void callThatWaitsForItselfGetsNoRetryAfter() {
        when().get("/itself").then().statusCode(503).header("Retry-After", nullValue())
                .body("detail",
                        is("The call would wait for permits of bulkhead 'rest-itself', which this request itself holds"))
                .body("$", not(hasKey("retry-after")));
        when().get("/locks-twice").then().statusCode(503).header("Retry-After", nullValue())
                .body("title", is("Locked"))
                .body("detail", is("The call would wait for lock 'rest-twice', which this request itself holds"));
    }

    /** Nor can it here, and no permit is lost. */
    @Test
    void callThatWeighsMoreThanTheLimitGetsNoRetryAfter() {
        when().get("/weighing?tokens=11").then().statusCode(503).header("Retry-After", nullValue())
                .body("detail", is("The limit of bulkhead 'rest-weighing' is too low for this call"));
        when().get("/weighing?tokens=10").then().statusCode(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            contended   | Too many requests are competing for bulkhead 'reports'
            unavailable | temporarily unavailable
            interrupted | The call was interrupted while it waited for bulkhead 'reports'
            """)
    void otherRejectionsAre503WithoutTheReason(String path, String detail) {
        when().get("/" + path).then().statusCode(503).contentType("application/problem+json").header("Retry-After", "1")
                .body("status", is(503)).body("detail", containsString(detail)).body("bulkhead", is("reports"))
                .body(not(containsString("10.1.2.3")));
    }

    /** Without configuration there is no management endpoint; and without the health extension no health check. */
    @Test
    void exposesNoOtherEndpoint() {
        when().get("/q/redis-bulkhead").then().statusCode(404);
        assertThatThrownBy(() -> Class.forName("org.eclipse.microprofile.health.HealthCheck"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Path("/")
    public static class Endpoints {

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("full")
        public String full() {
            throw new BulkheadFullException("a \"quoted\" <name>", 5, Duration.ZERO);
        }

        @GET
        @Path("itself")
        @RedisBulkhead(name = "rest-itself", permits = 1, maxWait = "10m")
        public String itself() {
            return itself();
        }

        @GET
        @Path("weighing")
        @RedisBulkhead(name = "rest-weighing", permits = 10)
        public String weighing(@RestQuery @BulkheadWeight int tokens) {
            return "done";
        }

        @GET
        @Path("locks-twice")
        public String locksTwice() throws Exception {
            RedisLock lock = bulkheads.lock("rest-twice");
            return lock.call(() -> lock.call(Duration.ofMinutes(10), () -> "twice"));
        }

        @GET
        @Path("locked")
        public String locked() {
            throw new LockNotAcquiredException("orders", Duration.ofMillis(1_200));
        }

        @GET
        @Path("contended")
        public String contended() {
            throw new BulkheadContendedException("reports", new IllegalStateException("Redis at 10.1.2.3 is contended"));
        }

        @GET
        @Path("interrupted")
        public String interrupted() {
            throw new BulkheadInterruptedException("reports", new InterruptedException());
        }

        @GET
        @Path("unavailable")
        public Uni<String> unavailable() {
            return Uni.createFrom()
                    .failure(new BulkheadUnavailableException("reports", "Redis at 10.1.2.3 cannot be reached", null));
        }
    }
}
