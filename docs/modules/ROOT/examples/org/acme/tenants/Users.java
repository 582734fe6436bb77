package org.acme.tenants;

import java.util.Map;
import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for a table of users and their tenants. */
@ApplicationScoped
public class Users {

    private static final Map<String, String> TENANTS = Map.of("olga", "acme");

    /** The tenant of a user; empty if the user has none. */
    public Optional<String> tenantOf(String user) {
        return Optional.ofNullable(TENANTS.get(user));
    }
}
