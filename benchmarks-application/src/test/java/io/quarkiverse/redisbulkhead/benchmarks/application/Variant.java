package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

import io.quarkus.maven.dependency.Dependency;

/** What the application has beside REST. */
enum Variant {

    WITHOUT("without the extension", "script", List.of()),
    REDIS("without it, with the Redis client", "script", List.of(Packaged.REDIS_CLIENT)),
    SCRIPT("with the extension, `store=script`", "script", List.of(Packaged.EXTENSION)),
    LOCAL("with the extension, `store=local`", "local", List.of(Packaged.EXTENSION));

    private final String title;
    private final String store;
    private final List<Dependency> additional;

    Variant(String title, String store, List<Dependency> additional) {
        this.title = title;
        this.store = store;
        this.additional = additional;
    }

    String title() {
        return title;
    }

    /** Packages the application; natively when there is a compiler for that. */
    Path packaged() {
        Properties properties = new Properties();
        properties.setProperty("quarkus.redis-bulkhead.store", store);
        if (isNative()) {
            properties.setProperty("quarkus.native.enabled", "true");
            properties.setProperty("quarkus.package.jar.enabled", "false");
        }
        return Packaged.application("start-" + name().toLowerCase(Locale.ROOT), properties, additional);
    }

    static boolean isNative() {
        return System.getenv("GRAALVM_HOME") != null;
    }
}
