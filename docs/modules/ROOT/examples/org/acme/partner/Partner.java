package org.acme.partner;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for a partner whose network fails now and then. */
@ApplicationScoped
public class Partner {

    private int failures;
    private Runnable onCall = () -> {
    };

    BigDecimal price(String article) {
        onCall.run();
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("The partner does not answer");
        }
        return new BigDecimal("9.90");
    }

    /** Runs during each call from now on. */
    public void onCall(Runnable action) {
        onCall = action;
    }

    /** Lets the next calls fail. */
    public void fail(int times) {
        failures = times;
    }
}
