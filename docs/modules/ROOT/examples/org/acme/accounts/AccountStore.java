package org.acme.accounts;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;

/** Stands in for a database that refuses who comes after a greater token. */
@ApplicationScoped
public class AccountStore {

    private BigDecimal balance = BigDecimal.ZERO;
    private long token;

    /** Charges a price, unless a holder with a greater token was here before. */
    public Uni<Boolean> update(BigDecimal price, long tokenOfWriter) {
        return Uni.createFrom().item(() -> write(price, tokenOfWriter));
    }

    /** What was charged in all. */
    public synchronized BigDecimal balance() {
        return balance;
    }

    /** The greatest token so far. */
    public synchronized long token() {
        return token;
    }

    private synchronized boolean write(BigDecimal price, long tokenOfWriter) {
        if (tokenOfWriter < token) {
            return false;
        }
        token = tokenOfWriter;
        balance = balance.add(price);
        return true;
    }
}
