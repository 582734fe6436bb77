package org.acme.tenants;

import java.util.Map;

/** The table with the limits of tenants that have one of their own. */
public interface LimitTable {

    /** Reads all rows. */
    Map<String, Integer> permitsByTenant();
}
