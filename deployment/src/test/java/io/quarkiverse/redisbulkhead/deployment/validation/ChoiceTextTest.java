package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class ChoiceTextTest {

    private static final SmallRyeConfig CONFIG = new SmallRyeConfigBuilder().build();

    enum Way {
        HERE,
        OVER_THERE
    }

    @ParameterizedTest
    @ValueSource(strings = { "here", "HERE", "Here", " here ", "hErE", "over-there", "OVER_THERE", "over_there", "OverThere",
            "over there", "overthere", "nowhere", "-", "." })
    void theBuildTakesWhatTheApplicationTakes(String text) {
        assertThat(accepts(() -> ChoiceText.check("way", text, Way.class)))
                .isEqualTo(accepts(() -> CONFIG.requireConverter(Way.class).convert(text)));
    }

    @Test
    void theMessageListsTheWords() {
        assertThatThrownBy(() -> ChoiceText.check("way", "nowhere", Way.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("way must be here or over-there, but is 'nowhere'");
    }

    private static boolean accepts(Runnable reading) {
        try {
            reading.run();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
