package org.acme.tenants;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

import javax.sql.DataSource;

import jakarta.inject.Singleton;

/** Reads the table with JDBC. */
// tag::rows[]
@Singleton
public class LimitRowsInSql implements LimitTable {

    private final DataSource database;

    LimitRowsInSql(DataSource database) {
        this.database = database;
    }

    @Override
    public Map<String, Integer> permitsByTenant() {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT tenant, permits FROM tenant_limit");
                ResultSet rows = query.executeQuery()) {
            Map<String, Integer> limits = new HashMap<>();
            while (rows.next()) {
                limits.put(rows.getString("tenant"), rows.getInt("permits"));
            }
            return limits;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
// end::rows[]
