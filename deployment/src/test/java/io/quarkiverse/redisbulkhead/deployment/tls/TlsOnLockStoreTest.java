package io.quarkiverse.redisbulkhead.deployment.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusUnitTest;

/** {@code store=lock} over TLS, where only the server has a certificate, for a user that may run no scripts. */
class TlsOnLockStoreTest extends TlsContract {

    static final KillableRedis REDIS = new KillableRedis("tls-on-lock-store-test");
    static final KillableRedis FRONT = new KillableRedis("tls-on-lock-store-test-front");
    static final Certificates CERTIFICATES = new Certificates("tls-on-lock-store-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(TlsContract.class, TlsContract.Guarded.class, TlsFront.class,
                    Certificates.class, KillableRedis.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "lock")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "rediss://shop:hunter2@localhost:" + FRONT.port())
            // The first connections of a process take long.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "3s")
            .overrideRuntimeConfigKey("quarkus.redis.tls-configuration-name", "redis")
            .overrideRuntimeConfigKey("quarkus.tls.redis.hostname-verification-algorithm", "HTTPS")
            .overrideRuntimeConfigKey("quarkus.tls.redis.trust-store.pem.certs", CERTIFICATES.certificate("server"));

    TlsOnLockStoreTest() {
        super(REDIS, FRONT, CERTIFICATES, false, "+@all -eval -evalsha -script");
    }

    @Test
    void missingClientCertificateIsAnOutage() {
        assertOutageWhile(() -> front().start(CERTIFICATES.server("server"), true), "Redis");
    }
}
