package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Texts are read from Redis as they were written, and foreign data does no harm. */
class StoredTextsPropertyTest {

    @Provide
    Arbitrary<String> texts() {
        return HostileTexts.any();
    }

    /** A name with line feeds remains one line. */
    @Property
    void detailsAreReadAsTheyWereWritten(@ForAll("texts") String application, @ForAll("texts") String instance,
            @ForAll("texts") String method, @ForAll long ticket, @ForAll int limit) {
        PermitDetails details = new PermitDetails(ticket, 7, Duration.ofSeconds(30), limit, "p:mailbox:1", application,
                instance,
                method);

        assertThat(PermitDetails.parse(details.text())).contains(details);
    }

    @Property
    void foreignDetailsAreHarmless(@ForAll("texts") String text) {
        PermitDetails.parse(text);
        PermitDetails.parse("1\n2\n3\n4\n" + text + "\na\nb\nc");
        PermitDetails.parse(text + "\n2\n3\n4\nm\na\nb\nc");
    }

    @Property
    void messagesAreReadAsTheyWereWritten(@ForAll long ticket, @ForAll long leaseEnd) {
        assertThat(NotificationSubscriber
                .parse(NotificationSubscriber.message(new Notice.HandedOver("id-1", new HandOver(ticket, leaseEnd)))))
                .contains(new Notice.HandedOver("id-1", new HandOver(ticket, leaseEnd)));
        assertThat(NotificationSubscriber.parse(NotificationSubscriber.message(new Notice.PermitFree("id-1"))))
                .contains(new Notice.PermitFree("id-1"));
        assertThat(NotificationSubscriber.parse(NotificationSubscriber.message(new Notice.Revoked("id-1"))))
                .contains(new Notice.Revoked("id-1"));
    }

    @Property
    void foreignMessagesAreHarmless(@ForAll("messages") String text) {
        NotificationSubscriber.parse(text);
    }

    @Provide
    Arbitrary<String> messages() {
        Arbitrary<String> words = Arbitraries.oneOf(
                Arbitraries.of("handed-over", "free", "revoked", "1", "-1", "99999999999999999999"),
                HostileTexts.any());
        return words.list().ofMaxSize(6).map(all -> String.join(" ", all));
    }
}
