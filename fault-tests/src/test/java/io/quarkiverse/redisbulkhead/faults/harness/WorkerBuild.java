package io.quarkiverse.redisbulkhead.faults.harness;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;

import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;

/** Packages the worker of this module as Quarkus applications are packaged, once for each store: it is fixed by the build. */
final class WorkerBuild {

    private static final Path TARGET = Path.of("target").toAbsolutePath();

    private static final Map<Store, Path> JARS = new EnumMap<>(Store.class);

    private WorkerBuild() {
    }

    static synchronized Path jar(Store store) {
        return JARS.computeIfAbsent(store, WorkerBuild::build);
    }

    private static Path build(Store store) {
        Properties properties = new Properties();
        properties.setProperty("quarkus.package.output-directory",
                TARGET.resolve("worker-" + store.configured()).toString());
        properties.setProperty("quarkus.redis-bulkhead.store", store.configured());
        QuarkusBootstrap bootstrap = QuarkusBootstrap.builder()
                .setApplicationRoot(TARGET.resolve("classes"))
                .setProjectRoot(TARGET.getParent())
                .setTargetDirectory(TARGET)
                .setBuildSystemProperties(properties)
                .setMode(QuarkusBootstrap.Mode.PROD)
                .setLocalProjectDiscovery(true)
                .setIsolateDeployment(true)
                .build();
        try (CuratedApplication application = bootstrap.bootstrap()) {
            return application.createAugmentor().createProductionApplication().getJar().getPath();
        } catch (Exception e) {
            throw new AssertionError("The worker cannot be packaged", e);
        }
    }
}
