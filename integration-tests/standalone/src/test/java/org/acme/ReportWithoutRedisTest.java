package org.acme;

import java.util.Map;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** The same application, built with {@code store=local}: there is no Redis. */
@QuarkusTest
@TestProfile(ReportWithoutRedisTest.LocalStore.class)
class ReportWithoutRedisTest extends ReportResourceTest {

    public static class LocalStore implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis-bulkhead.store", "local", "quarkus.redis.devservices.enabled", "false");
        }
    }

    @Override
    boolean needsRedis() {
        return false;
    }
}
