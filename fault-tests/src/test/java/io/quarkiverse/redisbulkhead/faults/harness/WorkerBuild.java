package io.quarkiverse.redisbulkhead.faults.harness;

import java.nio.file.Path;
import java.util.Properties;

import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;

/** Packages the worker of this module as Quarkus applications are packaged, once for all tests. */
final class WorkerBuild {

    private static final Path TARGET = Path.of("target").toAbsolutePath();

    private static Path jar;

    private WorkerBuild() {
    }

    static synchronized Path jar() {
        if (jar == null) {
            jar = build();
        }
        return jar;
    }

    private static Path build() {
        Properties properties = new Properties();
        properties.setProperty("quarkus.package.output-directory", TARGET.resolve("worker").toString());
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
