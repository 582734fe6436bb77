package org.acme.tenants;

import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for the table. */
@ApplicationScoped
public class LimitRows implements LimitTable {

    private volatile Map<String, Integer> rows = Map.of("acme", 4);
    private volatile boolean broken;

    public void set(Map<String, Integer> all) {
        rows = all;
    }

    public void breakDown(boolean now) {
        broken = now;
    }

    @Override
    public Map<String, Integer> permitsByTenant() {
        if (broken) {
            throw new IllegalStateException("The database is down");
        }
        return rows;
    }
}
