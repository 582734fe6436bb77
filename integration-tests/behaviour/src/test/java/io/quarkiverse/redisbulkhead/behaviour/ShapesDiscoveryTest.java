package io.quarkiverse.redisbulkhead.behaviour;

import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.MULTI;
import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.STAGE;
import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.SYNCHRONOUS;
import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.UNI;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Discovery finds exactly the annotated classes and methods, in every shape. */
@QuarkusTest
class ShapesDiscoveryTest {

    @Inject
    Declarations declarations;
    @Inject
    Parameters parameters;
    @Inject
    Orders orders;
    @Inject
    Sealed sealed;
    @Inject
    WithPort withPort;

    @Test
    void returnTypesDetermineHowTheEndIsObserved() {
        assertThat(methodsOf(Returns.class)).containsExactlyInAnyOrder(
                method(Returns.class, "nothing", SYNCHRONOUS, "kinds"),
                method(Returns.class, "uni", UNI, "kinds"),
                method(Returns.class, "multi", MULTI, "kinds"),
                method(Returns.class, "stage", STAGE, "kinds"),
                method(Returns.class, "future", STAGE, "kinds"));
    }

    @Test
    void namesParameterTypesAsAtRunTime() {
        assertThat(methodsOf(Parameters.class)).containsExactlyInAnyOrder(
                method(Parameters.class, "all", SYNCHRONOUS, "parameters", int.class, long[][].class, String.class,
                        String[].class, Map.Entry.class, Map.Entry[].class, Nested.class, Nested[][].class, List.class,
                        List[].class, Object.class, Object[].class, Comparable.class, Comparable[].class, Nested.class));
    }

    @Test
    void annotationOfClassCoversBusinessMethodsWithoutTheirOwn() {
        assertThat(methodsOf(Whole.class)).containsExactlyInAnyOrder(
                method(Whole.class, "covered", SYNCHRONOUS, "shapes-whole"),
                own(Whole.class),
                new MethodDeclaration(Whole.class.getName(), "several", List.of(), SYNCHRONOUS, "Whole#several",
                        Unkeyed.bulkheads("zulu", "alpha", "mike")));
    }

    @Test
    void annotationsAreInherited() {
        assertThat(methodsOf(Heir.class)).containsExactlyInAnyOrder(
                method(Heir.class, "covered", SYNCHRONOUS, "shapes-whole"),
                method(Heir.class, "added", SYNCHRONOUS, "shapes-whole"),
                method(Heir.class, "own", SYNCHRONOUS, "shapes-whole"),
                new MethodDeclaration(Heir.class.getName(), "several", List.of(), SYNCHRONOUS, "Heir#several",
                        Unkeyed.bulkheads("zulu", "alpha", "mike")));
    }

    @Test
    void nearestClassDecides() {
        assertThat(methodsOf(OwnHeir.class)).containsExactlyInAnyOrder(
                method(OwnHeir.class, "covered", SYNCHRONOUS, "heir"),
                own(OwnHeir.class),
                new MethodDeclaration(OwnHeir.class.getName(), "several", List.of(), SYNCHRONOUS, "OwnHeir#several",
                        Unkeyed.bulkheads("zulu", "alpha", "mike")));
    }

    @Test
    void findsGenericMethodsWithoutTheirBridges() {
        assertThat(methodsOf(Orders.class)).containsExactlyInAnyOrder(
                method(Orders.class, "save", SYNCHRONOUS, "orders", String.class),
                method(Orders.class, "load", UNI, "orders", Comparable.class));
    }

    @Test
    void supportsFinalClasses() {
        assertThat(methodsOf(Sealed.class)).containsExactly(method(Sealed.class, "guarded", SYNCHRONOUS, "sealed"));
    }

    @Test
    void defaultMethodsHaveTheAnnotationOfTheClass() {
        assertThat(methodsOf(WithPort.class)).containsExactly(method(WithPort.class, "byDefault", SYNCHRONOUS, "port"));
    }

    @Test
    void includesUnusedBeans() {
        assertThat(methodsOf(Unused.class)).containsExactly(method(Unused.class, "guarded", SYNCHRONOUS, "unused"));
    }

    @Test
    void containerUsesTheSameNames() {
        parameters.all(1, null, null, null, null, null, null, null, null, null, null, null, "", null, null);
        orders.save("order");
        ((Repository<String, Integer, Uni<String>>) orders).save("order");
        assertThat(orders.load(1).await().indefinitely()).isEqualTo("1");
        sealed.guarded();
        withPort.byDefault();
    }

    @Test
    void declaresEachAnnotationWithItsLocation() {
        String test = ShapesDiscoveryTest.class.getName();
        assertThat(declarations.bulkheads()).contains(
                new BulkheadDeclaration(test + "$Whole#own", "own", 4, 1, true, "1m", "1500ms"),
                new BulkheadDeclaration(test + "$Whole", "shapes-whole", 3, 1, null, null, null),
                new BulkheadDeclaration(test + "$Orders#save", "orders", RedisBulkhead.PERMITS_UNSET, 1, null, null, null),
                new BulkheadDeclaration(test + "$Repository#load", "orders", 2, 1, null, null, null));
        assertThat(OwnBulkheads.of(ShapesDiscoveryTest.class)).containsOnly("alpha", "heir", "kinds",
                "mike", "orders", "own", "parameters", "port", "sealed", "unused", "shapes-whole", "zulu");
    }

    private static MethodDeclaration own(Class<?> bean) {
        return new MethodDeclaration(bean.getName(), "own", List.of(), SYNCHRONOUS, bean.getSimpleName() + "#own",
                List.of(new BulkheadUse("own", 1, "1500ms", new KeyOrigin.None())));
    }

    private List<MethodDeclaration> methodsOf(Class<?> bean) {
        return declarations.methods().stream().filter(method -> method.beanClass().equals(bean.getName())).toList();
    }

    private static MethodDeclaration method(Class<?> bean, String name, ReturnKind returns, String bulkhead,
            Class<?>... parameters) {
        return new MethodDeclaration(bean.getName(), name, List.of(parameters).stream().map(Class::getName).toList(), returns,
                bean.getSimpleName() + "#" + name, Unkeyed.bulkheads(bulkhead));
    }

    @Singleton
    static class Returns {

        @RedisBulkhead(name = "kinds", permits = 1)
        void nothing() {
        }

        @RedisBulkhead(name = "kinds", permits = 1)
        Uni<String> uni() {
            return null;
        }

        @RedisBulkhead(name = "kinds", permits = 1)
        Multi<String> multi() {
            return null;
        }

        @RedisBulkhead(name = "kinds", permits = 1)
        CompletionStage<String> stage() {
            return null;
        }

        @RedisBulkhead(name = "kinds", permits = 1)
        CompletableFuture<String> future() {
            return null;
        }

        void unguarded() {
        }
    }

    static class Nested {
    }

    @Singleton
    static class Parameters {

        @RedisBulkhead(name = "parameters", permits = 1)
        <T, C extends Comparable<C>, N extends Nested & Comparable<N>> void all(int number, long[][] numbers, String text,
                String[] texts, Map.Entry<String, T> entry, Map.Entry<?, ?>[] entries, Nested nested, Nested[][] nesteds,
                List<T> list, List<? super T>[] lists, T variable, T[] variables, C bound, C[] bounds, N twice) {
        }
    }

    @ApplicationScoped
    @RedisBulkhead(name = "shapes-whole", permits = 3)
    static class Whole {

        void covered() {
        }

        @RedisBulkhead(name = "own", permits = 4, fair = true, expire = "1m", maxWait = "1500ms")
        void own() {
        }

        @RedisBulkhead(name = "zulu", permits = 1)
        @RedisBulkhead(name = "alpha", permits = 1)
        @RedisBulkhead(name = "mike", permits = 1)
        void several() {
        }

        private void helper() {
        }

        static void staticHelper() {
        }
    }

    @ApplicationScoped
    static class Heir extends Whole {

        void added() {
        }

        @Override
        void own() {
        }
    }

    @ApplicationScoped
    @RedisBulkhead(name = "heir", permits = 1)
    static class OwnHeir extends Whole {
    }

    abstract static class Repository<T, K extends Comparable<K>, R> {

        @RedisBulkhead(name = "orders", permits = 1)
        void save(T entity) {
        }

        @RedisBulkhead(name = "orders", permits = 2)
        R load(K key) {
            return loaded(key);
        }

        protected abstract R loaded(K key);
    }

    @Singleton
    static class Orders extends Repository<String, Integer, Uni<String>> {

        @Override
        @RedisBulkhead(name = "orders")
        void save(String entity) {
        }

        @Override
        protected Uni<String> loaded(Integer key) {
            return Uni.createFrom().item(key.toString());
        }
    }

    @ApplicationScoped
    static final class Sealed {

        @RedisBulkhead(name = "sealed", permits = 1)
        void guarded() {
        }
    }

    interface Port {

        default void byDefault() {
        }
    }

    @Singleton
    @RedisBulkhead(name = "port", permits = 1)
    static class WithPort implements Port {
    }

    @Singleton
    static class Unused {

        @RedisBulkhead(name = "unused", permits = 1)
        void guarded() {
        }
    }
}
