package io.quarkiverse.redisbulkhead.sample;

import java.util.Map;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

@EnabledIfSystemProperty(named = "packaged", matches = "all")
@QuarkusIntegrationTest
@TestProfile(JobIT.EverySecond.class)
class JobIT extends JobTest {

    public static class EverySecond implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("sample.job.cron", "* * * * * ?");
        }
    }
}
