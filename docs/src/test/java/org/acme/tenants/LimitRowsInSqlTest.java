package org.acme.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

class LimitRowsInSqlTest {

    private final DataSource database = mock(DataSource.class);
    private final LimitTable table = new LimitRowsInSql(database);

    @Test
    void eachRowIsALimit() throws SQLException {
        Connection connection = mock(Connection.class);
        PreparedStatement query = mock(PreparedStatement.class);
        ResultSet rows = mock(ResultSet.class);
        when(database.getConnection()).thenReturn(connection);
        when(connection.prepareStatement("SELECT tenant, permits FROM tenant_limit")).thenReturn(query);
        when(query.executeQuery()).thenReturn(rows);
        when(rows.next()).thenReturn(true, true, false);
        when(rows.getString("tenant")).thenReturn("acme", "other");
        when(rows.getInt("permits")).thenReturn(4, 8);

        assertThat(table.permitsByTenant()).containsEntry("acme", 4).containsEntry("other", 8).hasSize(2);
        verify(connection).close();
    }

    @Test
    void aFailureIsNotAnEmptyTable() throws SQLException {
        when(database.getConnection()).thenThrow(new SQLException("The database is down"));
        assertThatThrownBy(table::permitsByTenant).hasRootCauseMessage("The database is down");
    }
}
