package io.quarkiverse.redisbulkhead.sample.support;

import java.util.Map;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** Gives the application under test an {@link OutsideServer}, and the test class a field with it. */
public class OutsideWorld implements QuarkusTestResourceLifecycleManager {

    private OutsideServer server;

    @Override
    public Map<String, String> start() {
        server = new OutsideServer();
        return Map.of("sample.database.url", server.databaseUrl(),
                "sample.partner.url", server.partnerUrl(),
                "sample.crawler.sites.\"example.org\"", server.siteUrl(),
                "sample.crawler.sites.\"example.net\"", server.siteUrl(),
                // Tests let callers wait, and busy machines are slow.
                "quarkus.redis-bulkhead.\"exports\".max-wait", "1m",
                "quarkus.redis-bulkhead.lock.shape.acquire-timeout", "200ms",
                "quarkus.redis-bulkhead.command-timeout", "3s",
                "quarkus.rest-client.read-timeout", "60000");
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(server, new TestInjector.MatchesType(OutsideServer.class));
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
