package io.quarkiverse.redisbulkhead.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.deployment.devmode.Shapes;
import io.quarkiverse.redisbulkhead.deployment.devmode.ShapesResource;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.builder.BuildContext;
import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveFieldBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveHierarchyBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveMethodBuildItem;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Trap 27: the complete reflection metadata of a native executable for the extension and for guarded classes of every
 * shape. Each line has its reason; anything unlisted fails the test.
 */
class ReflectionTest {

    // The build runs in a different class loader than the test, so results are passed as text.
    private static final String SEEN = ReflectionTest.class.getName();
    private static final String ROOT = "io.quarkiverse.redisbulkhead.";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, ShapesResource.class, Shapes.class)
                            .addClasses(Shapes.class.getDeclaredClasses()))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.TRACING, OptionalExtensions.GRPC))
            .addBuildChainCustomizer(ReflectionTest::watch);

    /** Quarkus reads the configuration through generated classes, and converts text to enums. */
    private static final Pattern GENERATED_FOR_CONFIGURATION = Pattern
            .compile("\\w+ runtime\\.config\\.RedisBulkhead\\w+Config\\S*\\$\\$CMImpl.*");
    private static final List<String> ENUMS = List.of("class runtime.config.RedisBulkheadBuildTimeConfig$StoreKind",
            "class runtime.config.RedisBulkheadRuntimeConfig$OnFull", "class OnOutage", "class OnLost");

    /** The container compares bindings, and shows configuration and events the constructors they are injected into. */
    private static final List<String> CONTAINER = List.of("class runtime.RedisBulkheadInterceptor$RedisBulkheadBinding",
            "method runtime.BulkheadRegistry#<init>", "method runtime.BulkheadRuntime#<init>",
            "method runtime.RedisStoreFactory#<init>", "method runtime.rest.RejectionMapper#<init>",
            "method runtime.tracing.CallSpans#<init>");

    /** The container looks up each intercepted method once for the interceptors. Nothing calls it by reflection. */
    private static final List<String> GUARDED = Stream
            .of("Methods#guarded", "Methods#several", "Methods#uni", "Methods#removed", "Methods#keyed", "Methods#resolved",
                    "Methods#nested", "Methods#twice", "Parent#covered", "Parent#inherited", "Generic#load", "Concrete#apply",
                    "Client$$CDIWrapper#tell", "WholeClient$$CDIWrapper#tell")
            .map(method -> "method deployment.devmode.Shapes$" + method)
            .toList();

    @Test
    void registersNothingElseForReflection() {
        Stream<String> seen = System.getProperty(SEEN).lines().distinct()
                .filter(GENERATED_FOR_CONFIGURATION.asMatchPredicate().negate());

        assertThat(seen).containsExactlyInAnyOrderElementsOf(
                Stream.of(ENUMS, CONTAINER, GUARDED).flatMap(List::stream).toList());
    }

    private static void watch(BuildChainBuilder chain) {
        chain.addBuildStep(ReflectionTest::list)
                .consumes(ReflectiveClassBuildItem.class)
                .consumes(ReflectiveMethodBuildItem.class)
                .consumes(ReflectiveFieldBuildItem.class)
                .consumes(ReflectiveHierarchyBuildItem.class)
                .consumes(NativeImageProxyDefinitionBuildItem.class)
                .produces(Seen.class)
                .build();
        chain.addFinal(Seen.class);
    }

    private static void list(BuildContext build) {
        List<String> seen = new ArrayList<>();
        Consumer<String> ours = line -> {
            if (line.contains(" " + ROOT)) {
                seen.add(line.replace(ROOT, ""));
            }
        };
        build.consumeMulti(ReflectiveClassBuildItem.class).forEach(item -> item.getClassNames()
                .forEach(name -> ours.accept("class " + name)));
        build.consumeMulti(ReflectiveMethodBuildItem.class)
                .forEach(item -> ours.accept("method " + item.getDeclaringClass() + "#" + item.getName()));
        build.consumeMulti(ReflectiveFieldBuildItem.class)
                .forEach(item -> ours.accept("field " + item.getDeclaringClass() + "#" + item.getName()));
        build.consumeMulti(ReflectiveHierarchyBuildItem.class)
                .forEach(item -> ours.accept("hierarchy " + item.getType().name()));
        build.consumeMulti(NativeImageProxyDefinitionBuildItem.class)
                .forEach(item -> item.getClasses().forEach(name -> ours.accept("proxy " + name)));
        System.setProperty(SEEN, String.join("\n", seen));
        build.produce(new Seen());
    }

    private static final class Seen extends SimpleBuildItem {
    }
}
