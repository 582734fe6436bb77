package org.acme.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetriedInvoicesTest {

    @Test
    void invoicesAreSentOnceInANight() {
        RetriedInvoices job = new RetriedInvoices(new InvoiceRuns());
        job.run();
        job.run();
        assertThat(job.sent()).isEqualTo(1);
    }
}
