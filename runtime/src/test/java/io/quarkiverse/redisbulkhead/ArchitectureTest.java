package io.quarkiverse.redisbulkhead;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/** Dependencies point one way: glue to guards to bulkheads to the port of the store. */
class ArchitectureTest {

    static final String ROOT = "io.quarkiverse.redisbulkhead";

    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void layersDependInOneDirection() {
        layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("glue").definedBy(ROOT + ".runtime", ROOT + ".runtime.rest", ROOT + ".runtime.metrics",
                        ROOT + ".runtime.tracing", ROOT + ".runtime.management", ROOT + ".runtime.health",
                        ROOT + ".runtime.scheduler", ROOT + ".runtime.grpc")
                .layer("config").definedBy(ROOT + ".runtime.config")
                .layer("definition").definedBy(ROOT + ".runtime.definition")
                .layer("message").definedBy(ROOT + ".runtime.message")
                .layer("overview").definedBy(ROOT + ".runtime.overview")
                .layer("guard").definedBy(ROOT + ".runtime.guard")
                .layer("bulkhead").definedBy(ROOT + ".runtime.bulkhead")
                .layer("port").definedBy(ROOT + ".runtime.store")
                .layer("machine").definedBy(ROOT + ".runtime.store.machine")
                .layer("redis").definedBy(ROOT + ".runtime.store.redis")
                .whereLayer("glue").mayNotBeAccessedByAnyLayer()
                .whereLayer("config").mayOnlyBeAccessedByLayers("glue", "definition")
                .whereLayer("config").mayNotAccessAnyLayer()
                .whereLayer("definition").mayOnlyBeAccessedByLayers("glue", "overview")
                .whereLayer("message").mayNotAccessAnyLayer()
                .whereLayer("overview").mayOnlyBeAccessedByLayers("glue")
                .whereLayer("overview").mayOnlyAccessLayers("definition", "bulkhead", "port", "message")
                .whereLayer("guard").mayOnlyBeAccessedByLayers("glue")
                .whereLayer("bulkhead").mayOnlyBeAccessedByLayers("glue", "guard", "overview")
                .whereLayer("bulkhead").mayOnlyAccessLayers("port", "message")
                .whereLayer("port")
                .mayOnlyBeAccessedByLayers("glue", "overview", "bulkhead", "machine", "redis")
                .whereLayer("machine").mayOnlyBeAccessedByLayers("redis")
                .whereLayer("machine").mayOnlyAccessLayers("port")
                .whereLayer("redis").mayOnlyBeAccessedByLayers("glue")
                .check(CLASSES);
    }

    /** Neither on CDI, nor on the build, configuration or other stores, except where it is listed. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            definition | definition, config, message | org.jboss.logging.., org.eclipse.microprofile.config.., \
            io.smallrye.common.expression.., io.smallrye.config.., io.quarkus.runtime.configuration..
            overview   | overview, definition, bulkhead, store, message | io.smallrye.mutiny.., io.vertx.core.json..
            bulkhead   | bulkhead, store, message | org.jboss.logging.., org.eclipse.microprofile.faulttolerance..
            store      | store, message           | org.jboss.logging..
            store..    | store.., message | org.jboss.logging.., io.vertx.core.., io.vertx.redis.client.., io.netty.handler.codec..
            """)
    void packagesDependOnlyOn(String name, String packages, String libraries) {
        List<String> allowed = new ArrayList<>(List.of("java..", ROOT));
        Stream.of(packages.split(", *")).map(own -> ROOT + ".runtime." + own).forEach(allowed::add);
        allowed.addAll(List.of(libraries.split(", *")));
        classes().that().resideInAPackage(ROOT + ".runtime." + name).should().onlyDependOnClassesThat()
                .resideInAnyPackage(allowed.toArray(String[]::new)).check(CLASSES);
    }

    @Test
    void publicApiDoesNotDependOnTheImplementation() {
        noClasses().that().resideInAPackage(ROOT).should().dependOnClassesThat().resideInAPackage(ROOT + ".runtime..")
                .check(CLASSES);
    }

    /**
     * So that the package reads from top to bottom. A class and its nested classes are one slice; so are those that share a
     * lock, and the engine that has them.
     */
    @Test
    void bulkheadClassesHaveNoCycles() {
        List<String> lockedTogether = List.of("Engine", "Bulkhead", "CallLine", "PendingCall", "SharePermit",
                "ShareSync", "Transfers");
        slices().assignedFrom(new SliceAssignment() {

            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                String name = outermost(type).getSimpleName();
                return !type.getPackageName().equals(ROOT + ".runtime.bulkhead") ? SliceIdentifier.ignore()
                        : SliceIdentifier.of(lockedTogether.contains(name) ? "those of the lock" : name);
            }

            @Override
            public String getDescription() {
                return "classes of bulkheads";
            }
        }).should().beFreeOfCycles().check(CLASSES);
    }

    private static JavaClass outermost(JavaClass type) {
        JavaClass outer = type;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer;
    }

    /** So that tests and benchmarks create the Redis stores as applications do. */
    @Test
    void redisStoresAreCreatedWithoutCdiAndConfiguration() {
        noClasses().that().haveNameMatching(".*\\.runtime\\.(store\\.redis\\..*|VertxTimers)").should().dependOnClassesThat()
                .resideInAnyPackage("jakarta..", "io.quarkus..", "io.smallrye..", "org.eclipse.microprofile..")
                .orShould().dependOnClassesThat().haveNameMatching(".*Config")
                .check(CLASSES);
    }

    /** Applications without an optional library load no class of the package that refers to it. */
    @ParameterizedTest
    @CsvSource({ "management, io.vertx.ext.web.., io.vertx.ext.auth..",
            "health, org.eclipse.microprofile.health.., io.smallrye.health..",
            "scheduler, io.quarkus.scheduler.., io.quarkus.scheduler..", "metrics, io.micrometer.., io.micrometer..",
            "tracing, io.opentelemetry.., io.opentelemetry.." })
    void optionalLibrariesAreUsedInTheirOwnPackages(String name, String library, String other) {
        String own = ROOT + ".runtime." + name;
        noClasses().that().resideInAPackage(ROOT + "..").and().resideOutsideOfPackage(own).should().dependOnClassesThat()
                .resideInAnyPackage(own, library, other).check(CLASSES);
    }

    /**
     * Trap 27: the registry compares the method objects that the container passes; it neither looks up nor invokes methods.
     */
    @Test
    void noReflectionAtRuntime() {
        noClasses().that().resideInAPackage(ROOT + "..").should()
                .callMethodWhere(target(owner(type(Method.class))).and(target(nameMatching("invoke|set.*|getAnnotation.*")))
                        .or(target(owner(type(Class.class))).and(target(nameMatching("forName|get.*Method.*|get.*Field.*|"
                                + "get.*Constructor.*|getAnnotation.*|newInstance")))))
                .check(CLASSES);
    }

    /** Trap 27: fields, constructors, proxies and services. */
    @Test
    void noOtherLookupAtRuntime() {
        noClasses().that().resideInAPackage(ROOT + "..").should()
                .dependOnClassesThat(belongToAnyOf(Field.class, Constructor.class, Proxy.class, InvocationHandler.class,
                        MethodHandle.class, MethodHandles.class, VarHandle.class, ServiceLoader.class))
                .orShould().callMethodWhere(target(nameMatching("loadClass|newUpdater")))
                .check(CLASSES);
    }

    /** The code path of a call neither parses nor formats strings. */
    @Test
    void callsParseNoStrings() {
        noClasses().that()
                .resideInAnyPackage(ROOT + ".runtime.guard", ROOT + ".runtime.bulkhead", ROOT + ".runtime.store")
                .or(areOnTheCallPath())
                .should().dependOnClassesThat().resideInAPackage("java.util.regex..")
                .orShould().callMethodWhere(target(owner(type(String.class)))
                        .and(target(nameMatching("format|formatted|split|replace.*|matches"))))
                .check(CLASSES);
    }

    /** All lookups by name happen when the application starts. */
    @Test
    void callsLookNothingUpByName() {
        noClasses().that(areOnTheCallPath()).should().dependOnClassesThat()
                .haveNameMatching(".*\\.(BulkheadRegistry|Declarations|Declarations\\$MethodDeclaration|CallSite|StackWalker)")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> areOnTheCallPath() {
        return nameMatching(".*\\.runtime\\.RedisBulkheadInterceptor(\\$.*)?")
                .forSubtype();
    }

    /** A native build initializes static values: they must not depend on the build machine, or be random. */
    @Test
    void noStaticStateOfTheBuildMachine() {
        List<Class<?>> runtimeOnly = List.of(Random.class, RandomGenerator.class, Thread.class, InetAddress.class,
                ProcessHandle.class, Clock.class, Instant.class, UUID.class, ManagementFactory.class, ExecutorService.class);
        assertThat(CLASSES.stream().flatMap(type -> type.getStaticInitializer().stream())
                .flatMap(initializer -> initializer.getCallsFromSelf().stream())
                .filter(call -> runtimeOnly.stream().anyMatch(type -> call.getTargetOwner().isAssignableTo(type))
                        || call.getTarget().getFullName().matches("java\\.lang\\.System\\.(getenv|nanoTime|current).*"))
                .map(JavaCall::getDescription)).isEmpty();
    }
}
