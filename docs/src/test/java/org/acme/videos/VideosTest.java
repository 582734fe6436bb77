package org.acme.videos;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.test.TestBulkhead;
import io.quarkus.test.junit.QuarkusTest;

/** A permit is held from the start of a job until its webhook. */
@QuarkusTest
class VideosTest {

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    LongJobs longJobs;

    @Inject
    JobTable table;

    private RedisSemaphore jobs;

    @BeforeEach
    @AfterEach
    void none() {
        jobs = bulkheads.semaphore(Videos.JOBS);
        try (TestBulkhead all = TestBulkhead.of(jobs)) {
            all.empty();
        }
        table.youngerThan(Duration.ofDays(1)).keySet().forEach(table::delete);
    }

    @Test
    void aJobKeepsItsPermitUntilTheWebhook() {
        String job = given().body("cat").post("/videos").then().statusCode(200).extract().asString();
        assertThat(jobs.holders()).extracting(Holder::state).containsExactly(Holder.State.DETACHED);

        given().body(job).post("/videos/finished").then().statusCode(204);
        assertThat(jobs.status().inUse()).isZero();
    }

    @Test
    void aFifthJobIsRejected() {
        for (int i = 0; i < 4; i++) {
            given().body("cat").post("/videos").then().statusCode(200);
        }
        given().body("cat").post("/videos").then().statusCode(429);
    }

    @Test
    void aWebhookThatComesTwiceIsHarmless() {
        String job = given().body("cat").post("/videos").then().extract().asString();
        given().body(job).post("/videos/finished").then().statusCode(204);
        given().body(job).post("/videos/finished").then().statusCode(204);
    }

    @Test
    void aLongJobGetsAnotherLease() {
        String job = given().body("cat").post("/videos").then().extract().asString();
        String before = table.youngerThan(Duration.ofDays(1)).get(job);
        longJobs.prolong();
        assertThat(table.youngerThan(Duration.ofDays(1)).get(job)).isNotEqualTo(before);
        assertThat(jobs.status().inUse()).isEqualTo(1);

        given().body(job).post("/videos/finished").then().statusCode(204);
        assertThat(jobs.status().inUse()).isZero();
    }
}
