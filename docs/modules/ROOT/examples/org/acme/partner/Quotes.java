package org.acme.partner;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** Asks a partner for prices, with Fault Tolerance around the bulkhead. */
@ApplicationScoped
public class Quotes {

    private static final BigDecimal LIST_PRICE = new BigDecimal("12.50");

    private final Partner partner;

    Quotes(Partner partner) {
        this.partner = partner;
    }

    // tag::guarded[]
    @Retry(maxRetries = 2, abortOn = BulkheadException.class)
    @Fallback(fallbackMethod = "listPrice")
    @RedisBulkhead(name = "prices", permits = 10)
    public BigDecimal price(String article) {
        return partner.price(article);
    }

    BigDecimal listPrice(String article) {
        return LIST_PRICE;
    }
    // end::guarded[]
}
