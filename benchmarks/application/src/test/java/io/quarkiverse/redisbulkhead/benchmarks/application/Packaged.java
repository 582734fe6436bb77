package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

import io.quarkus.bootstrap.app.AugmentResult;
import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;
import io.quarkus.maven.dependency.Dependency;

/** The application of this module, packaged as Quarkus applications are packaged. */
final class Packaged {

    private static final Path TARGET = Path.of("target").toAbsolutePath();

    static final Dependency EXTENSION = Dependency.of("io.quarkiverse.redisbulkhead", "quarkus-redis-bulkhead",
            System.getProperty("project.version"));
    static final Dependency REDIS_CLIENT = Dependency.of("io.quarkus", "quarkus-redis-client",
            System.getProperty("quarkus.version"));
    static final Dependency JMH = Dependency.of("org.openjdk.jmh", "jmh-core", System.getProperty("jmh.version"));

    private Packaged() {
    }

    /**
     * Packages it.
     *
     * @param name of the package
     * @param properties how it is built
     * @param additional what it has beside REST
     * @return the jar to start, or the native executable
     */
    static Path application(String name, Properties properties, List<Dependency> additional) {
        properties.setProperty("quarkus.package.output-directory", TARGET.resolve(name).toString());
        QuarkusBootstrap bootstrap = QuarkusBootstrap.builder()
                .setApplicationRoot(TARGET.resolve("classes"))
                .setProjectRoot(TARGET.getParent())
                .setTargetDirectory(TARGET)
                .setBuildSystemProperties(properties)
                .setForcedDependencies(additional)
                .setMode(QuarkusBootstrap.Mode.PROD)
                .setLocalProjectDiscovery(true)
                .setIsolateDeployment(true)
                .build();
        try (CuratedApplication application = bootstrap.bootstrap()) {
            AugmentResult result = application.createAugmentor().createProductionApplication();
            return result.getNativeResult() != null ? result.getNativeResult() : result.getJar().getPath();
        } catch (Exception e) {
            throw new AssertionError("The application cannot be packaged", e);
        }
    }
}
