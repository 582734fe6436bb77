package io.quarkiverse.redisbulkhead.deployment.tls;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusUnitTest;

/** {@code store=script} over TLS with a password and with certificates on both sides. */
class MutualTlsTest extends TlsContract {

    static final KillableRedis REDIS = new KillableRedis("mutual-tls-test");
    static final KillableRedis FRONT = new KillableRedis("mutual-tls-test-front");
    static final Certificates CERTIFICATES = new Certificates("mutual-tls-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(TlsContract.class, TlsContract.Guarded.class, TlsFront.class,
                    Certificates.class, KillableRedis.class))
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "rediss://localhost:" + FRONT.port() + "?user=shop")
            .overrideRuntimeConfigKey("quarkus.redis.password", "hunter2")
            // The first connections of a process take long.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "3s")
            .overrideRuntimeConfigKey("quarkus.redis.tls-configuration-name", "redis")
            .overrideRuntimeConfigKey("quarkus.tls.redis.hostname-verification-algorithm", "HTTPS")
            .overrideRuntimeConfigKey("quarkus.tls.redis.trust-store.pem.certs", CERTIFICATES.certificate("server"))
            .overrideRuntimeConfigKey("quarkus.tls.redis.key-store.p12.path", CERTIFICATES.keys("client"))
            .overrideRuntimeConfigKey("quarkus.tls.redis.key-store.p12.password", Certificates.PASSWORD);

    MutualTlsTest() {
        super(REDIS, FRONT, CERTIFICATES, true, "+@all");
    }
}
