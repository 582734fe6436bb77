package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;

/** The texts of messages. */
class ShareCodecTest {

    private static final BulkheadId REPORTS = BulkheadId.of("1 2");

    @Test
    void messagesAreReadAsTheyAreWritten() {
        BulkheadKeys keys = new BulkheadKeys("3 test", REPORTS);
        for (ShareMessage message : List.of(new ShareMessage.Granted(REPORTS, 1, 2, 3, 4, 5, true, 6, 7),
                new ShareMessage.Recalled(REPORTS, 8), new ShareMessage.Changed(REPORTS))) {
            assertThat(ShareCodec.message(ShareCodec.text(message, keys), key -> BulkheadKeys.idOf("3 test", key)))
                    .contains(message);
        }
    }

    /** Among them numbers that Java cannot read. */
    @ParameterizedTest
    @ValueSource(strings = { "", "granted", "changed", "changedkey", "other 1 key", "recalled key", "recalled -1 key",
            "recalled 99999999999999999999 key", "granted 1 2 3 4 5 6 7 key", "granted 1 2 3 4 5 6 7  key",
            "granted 99999999999999999999 2 3 4 5 6 7 8 key", "granted 1 2 3 4 5 6 7 99999999999999999999 key" })
    void otherTextsAreNoMessages(String text) {
        assertThat(ShareCodec.message(text, key -> Optional.of(REPORTS))).isEmpty();
    }
}
