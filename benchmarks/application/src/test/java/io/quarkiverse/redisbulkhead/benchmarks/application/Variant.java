package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

import io.quarkus.maven.dependency.Dependency;

/** What the application has beside REST. */
enum Variant {

    WITHOUT("without the extension", null, "script", List.of()),
    LOCAL("with the extension, `store=local`", WITHOUT, "local", List.of(Packaged.EXTENSION)),
    REDIS("uses the Redis client, without the extension", null, "script", List.of(Packaged.REDIS_CLIENT)),
    SCRIPT("uses the Redis client, with the extension, `store=script`", REDIS, "script",
            List.of(Packaged.REDIS_CLIENT, Packaged.EXTENSION));

    private final String title;
    private final Variant without;
    private final String store;
    private final List<Dependency> additional;

    Variant(String title, Variant without, String store, List<Dependency> additional) {
        this.title = title;
        this.without = without;
        this.store = store;
        this.additional = additional;
    }

    String title() {
        return title;
    }

    /** The same application without the extension; itself where it has none. */
    Variant without() {
        return without == null ? this : without;
    }

    /** Packages the application; natively when there is a compiler for that. */
    Path packaged() {
        Properties properties = new Properties();
        properties.setProperty("quarkus.redis-bulkhead.store", store);
        properties.setProperty("benchmarks.redis", Boolean.toString(additional.contains(Packaged.REDIS_CLIENT)));
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
