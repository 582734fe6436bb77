package io.quarkiverse.redisbulkhead.sample.ledger;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.partner.PartnerApi;
import io.quarkus.runtime.StartupEvent;

/**
 * An account with one writing instance at a time.
 * <p>
 * A bulkhead alone cannot guarantee that: a process that is paused for longer than its lease continues next to its
 * successor when it resumes. So each write carries the fencing token of its permit, and the database rejects a write after
 * one with a greater token.
 */
@ApplicationScoped
public class Ledger {

    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, balance DECIMAL(12, 2) NOT NULL, token BIGINT NOT NULL)""";
    private static final String FIRST_ROW = """
            INSERT INTO account SELECT 1, 0, 0 WHERE NOT EXISTS (SELECT * FROM account WHERE id = 1)""";
    private static final String CHARGE = """
            UPDATE account SET balance = balance + ?, token = ? WHERE id = 1 AND token <= ?""";
    private static final String READ = """
            SELECT balance, token FROM account WHERE id = 1""";

    private final DataSource database;
    private final PartnerApi partner;
    private final CurrentPermit currentPermit;

    Ledger(DataSource database, @RestClient PartnerApi partner, CurrentPermit currentPermit) {
        this.database = database;
        this.partner = partner;
        this.currentPermit = currentPermit;
    }

    void createTable(@Observes StartupEvent event) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
            statement.execute(FIRST_ROW);
        }
    }

    // tag::guarded[]
    /**
     * Asks the partner for a price and charges it.
     *
     * @throws StaleWriterException when another instance has taken over meanwhile; nothing was charged then
     */
    @RedisBulkhead(name = "ledger", permits = 1, fair = true, maxWait = "2s", expire = "10s")
    public Charge charge(String article) throws SQLException {
        Permit permit = currentPermit.get();
        BigDecimal price = partner.quote(article).price();
        try (Connection connection = database.getConnection();
                PreparedStatement charge = connection.prepareStatement(CHARGE)) {
            charge.setBigDecimal(1, price);
            charge.setLong(2, permit.fencingToken());
            charge.setLong(3, permit.fencingToken());
            if (charge.executeUpdate() == 0) {
                throw new StaleWriterException(permit);
            }
        }
        return new Charge(article, price, permit.fencingToken());
    }
    // end::guarded[]

    /** Reads the account, which needs no permit. */
    public Account account() throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement read = connection.prepareStatement(READ);
                ResultSet row = read.executeQuery()) {
            row.next();
            return new Account(row.getBigDecimal("balance"), row.getLong("token"));
        }
    }
}
