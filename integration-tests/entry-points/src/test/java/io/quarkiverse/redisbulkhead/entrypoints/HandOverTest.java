package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.annotations.Blocking;

/** A REST resource acquires a permit and a message consumer releases it, as in hand-over-a-permit.adoc. */
@QuarkusTest
class HandOverTest extends EntryPointTestBase {

    private static final Logger LOG = Logger.getLogger(HandOverTest.class);

    @Inject
    Uploads uploads;

    @Inject
    Converter converter;

    @Inject
    Encoder encoder;

    @BeforeEach
    void forget() {
        encoder.encoded.clear();
    }

    @Test
    void consumerUsesThePermitOfTheResource() throws Exception {
        assertThat(uploads.upload("first.mp4").getStatus()).isEqualTo(Status.ACCEPTED.getStatusCode());
        awaitInside(1);

        assertThat(bulkheads.semaphore(CONVERSIONS).holders()).extracting(Holder::state, Holder::method)
                .containsExactly(tuple(Holder.State.HELD, "HandOverTest$Converter#convert"));
        assertThat(uploads.upload("second.mp4").getStatus()).isEqualTo(Status.TOO_MANY_REQUESTS.getStatusCode());
        openGate();

        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(bulkheads.semaphore(CONVERSIONS).holders()).isEmpty());
        assertThat(encoder.encoded).containsExactly("first.mp4 fenced");
    }

    /** The message arrived late, or twice. */
    @Test
    void skipsAMessageWithoutAPermit() {
        openGate();
        Permit permit = bulkheads.semaphore(CONVERSIONS).tryAcquire().orElseThrow();
        String token = permit.detach();
        bulkheads.semaphore(CONVERSIONS).revoke(permit.id());

        converter.convert(new Upload("third.mp4", token));

        assertThat(encoder.encoded).isEmpty();
    }

    // tag::message[]
    /** How many videos are converted at once. */
    static final SemaphoreSpec CONVERSIONS = SemaphoreSpec.named("conversions").permits(1).expire(Duration.ofMinutes(5))
            .build();

    /** A video, and the permit to convert it. */
    public record Upload(String video, String permit) {
    }
    // end::message[]

    // tag::resource[]
    @Path("/uploads")
    public static class Uploads {

        private final RedisSemaphore conversions;
        private final Emitter<Upload> uploads;

        Uploads(RedisBulkheads bulkheads, @Channel("uploads") Emitter<Upload> uploads) {
            this.conversions = bulkheads.semaphore(CONVERSIONS);
            this.uploads = uploads;
        }

        @POST
        public RestResponse<Void> upload(String video) {
            Optional<Permit> permit = conversions.tryAcquire();
            if (permit.isEmpty()) {
                return RestResponse.status(Status.TOO_MANY_REQUESTS);
            }
            try (Permit reserved = permit.get()) {
                uploads.send(new Upload(video, reserved.detach()));
            }
            return RestResponse.accepted();
        }
    }
    // end::resource[]

    // tag::consumer[]
    @Singleton
    public static class Converter {

        private final RedisSemaphore conversions;
        private final Encoder encoder;

        Converter(RedisBulkheads bulkheads, Encoder encoder) {
            this.conversions = bulkheads.semaphore(CONVERSIONS);
            this.encoder = encoder;
        }

        @Incoming("uploads")
        @Blocking
        void convert(Upload upload) {
            try (Permit permit = conversions.attach(upload.permit())) {
                encoder.encode(upload.video(), permit.fencingToken());
            } catch (PermitGoneException e) {
                LOG.warnf("%s is not converted: %s", upload.video(), e.getMessage());
            }
        }
    }
    // end::consumer[]

    @Singleton
    static class Encoder {

        final List<String> encoded = new CopyOnWriteArrayList<>();
        private final Gate gate;

        Encoder(Gate gate) {
            this.gate = gate;
        }

        void encode(String video, long token) {
            gate.pass();
            encoded.add(video + (token > 0 ? " fenced" : ""));
        }
    }
}
