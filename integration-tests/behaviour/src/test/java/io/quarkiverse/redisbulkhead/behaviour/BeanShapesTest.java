package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.Unguarded;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/**
 * Every shape of bean and method is limited: of more concurrent calls than permits, as many run as there are permits, the
 * others are rejected, and nothing is held afterwards.
 */
@QuarkusTest
class BeanShapesTest extends BehaviourTestBase {

    private static final int PERMITS = 2;
    private static final int CALLERS = 4;

    @Inject
    RequestBean request;
    @Inject
    SingletonBean singleton;
    @Inject
    DependentBean dependent;
    @Inject
    Port port;
    @Inject
    PortWithDefault withDefault;
    @Inject
    Repository<String, Integer, Uni<String>> repository;
    @Inject
    Heir heir;
    @Inject
    OverridingHeir overriding;
    @Inject
    GuardedHeir guardedHeir;
    @Inject
    Widened widened;
    @Inject
    NearHeir nearHeir;
    @Inject
    Parameters parameters;

    // By bulkhead.
    private Map<String, Callable<String>> shapes() {
        Map<String, Callable<String>> shapes = new TreeMap<>();
        shapes.put("inherited in any scope", () -> request.run());
        shapes.put("implementing method", () -> port.run());
        shapes.put("class with a default method", () -> withDefault.byDefault());
        shapes.put("bridge to a generic superclass", () -> repository.save("order"));
        shapes.put("generic Uni", () -> get(repository.load(1)));
        shapes.put("inherited method", () -> heir.run());
        shapes.put("inherited class", () -> heir.other());
        shapes.put("override that calls the guarded one", () -> guardedHeir.run());
        shapes.put("public method of a hidden class", () -> widened.run());
        shapes.put("own annotation in a guarded class", () -> heir.own());
        shapes.put("nearest class", () -> nearHeir.other());
        shapes.put("parameters of every kind",
                () -> parameters.run(1, null, null, null, null, null, null, null, null, null, null, null, "", null, null));
        return shapes;
    }

    @TestFactory
    Stream<DynamicTest> isLimited() {
        Stream<DynamicTest> otherScopes = Stream.of(singleton, dependent).map(bean -> DynamicTest.dynamicTest(
                bean.getClass().getSimpleName(), () -> isLimited("inherited in any scope", bean::run)));
        return Stream.concat(otherScopes, shapes().entrySet().stream()
                .map(shape -> DynamicTest.dynamicTest(shape.getKey(), () -> isLimited(shape.getKey(), shape.getValue()))));
    }

    private void isLimited(String bulkhead, Callable<String> call) throws Exception {
        Gate.shut();
        List<Caller<String>> callers = callers(call);
        eventually(() -> assertThat(callers).filteredOn(Caller::isDone).hasSize(CALLERS - PERMITS));
        awaitInside(PERMITS);

        assertThat(inUse(bulkhead)).isEqualTo(PERMITS);
        for (Caller<String> rejected : callers.stream().filter(Caller::isDone).toList()) {
            assertThat(rejected.failure()).isInstanceOfSatisfying(BulkheadFullException.class,
                    full -> assertThat(full.name()).isEqualTo(bulkhead));
            callers.remove(rejected);
        }
        Gate.open();

        for (Caller<String> admitted : callers) {
            assertThat(admitted.result()).isEqualTo("passed");
        }
        assertThat(inUse(bulkhead)).isZero();
    }

    /** As usual in Java, the subclass decides. */
    @Test
    void overrideWithoutTheAnnotationIsNotLimited() throws Exception {
        Gate.shut();
        List<Caller<String>> callers = callers(() -> overriding.run());
        awaitInside(CALLERS);
        assertThat(inUse("override that calls the guarded one")).isZero();
        Gate.open();

        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("passed");
        }
    }

    @Test
    void coversEveryShape() {
        assertThat(ownBulkheads()).containsAll(shapes().keySet()).hasSize(shapes().size() + 1).contains("unused bean");
    }

    private static List<Caller<String>> callers(Callable<String> call) {
        return Stream.generate(() -> Caller.of(() -> {
            ManagedContext requests = Arc.container().requestContext();
            requests.activate();
            try {
                return call.call();
            } finally {
                requests.terminate();
            }
        })).limit(CALLERS).collect(Collectors.toList());
    }

    public abstract static class AnyScope {

        @RedisBulkhead(name = "inherited in any scope", permits = PERMITS)
        String run() {
            return Gate.pass();
        }
    }

    @RequestScoped
    public static class RequestBean extends AnyScope {
    }

    @Singleton
    public static class SingletonBean extends AnyScope {
    }

    @Dependent
    public static class DependentBean extends AnyScope {
    }

    public interface Port {

        String run();
    }

    @ApplicationScoped
    public static class PortBean implements Port {

        @Override
        @RedisBulkhead(name = "implementing method", permits = PERMITS)
        public String run() {
            return Gate.pass();
        }
    }

    public interface PortWithDefault {

        default String byDefault() {
            return Gate.pass();
        }
    }

    @ApplicationScoped
    @RedisBulkhead(name = "class with a default method", permits = PERMITS)
    public static class WholePortBean implements PortWithDefault {
    }

    public abstract static class Repository<T, K extends Comparable<K>, R> {

        abstract String save(T entity);

        @RedisBulkhead(name = "generic Uni", permits = PERMITS)
        R load(K key) {
            return loaded(key);
        }

        protected abstract R loaded(K key);
    }

    @ApplicationScoped
    public static class Orders extends Repository<String, Integer, Uni<String>> {

        @Override
        @RedisBulkhead(name = "bridge to a generic superclass", permits = PERMITS)
        String save(String entity) {
            return Gate.pass();
        }

        @Override
        protected Uni<String> loaded(Integer key) {
            return Uni.createFrom().completionStage(Gate.passLater());
        }
    }

    @RedisBulkhead(name = "inherited class", permits = PERMITS)
    public static class Parent {

        @RedisBulkhead(name = "inherited method", permits = PERMITS)
        String run() {
            return Gate.pass();
        }
    }

    @ApplicationScoped
    public static class Heir extends Parent {

        @RedisBulkhead(name = "own annotation in a guarded class", permits = PERMITS, fair = true, expire = "1m")
        String own() {
            return Gate.pass();
        }

        String other() {
            return Gate.pass();
        }
    }

    public static class Runner {

        @RedisBulkhead(name = "override that calls the guarded one", permits = PERMITS)
        String run() {
            return Gate.pass();
        }
    }

    @ApplicationScoped
    public static class OverridingHeir extends Runner {

        @Override
        @Unguarded
        String run() {
            return super.run();
        }
    }

    @ApplicationScoped
    public static class GuardedHeir extends Runner {

        @Override
        @RedisBulkhead(name = "override that calls the guarded one", permits = PERMITS)
        String run() {
            return super.run();
        }
    }

    abstract static class Hidden {

        @RedisBulkhead(name = "public method of a hidden class", permits = PERMITS)
        public String run() {
            return Gate.pass();
        }
    }

    public interface Widened {

        String run();
    }

    @ApplicationScoped
    public static class WidenedBean extends Hidden implements Widened {
    }

    @ApplicationScoped
    @RedisBulkhead(name = "nearest class", permits = PERMITS)
    public static class NearHeir extends Parent {

        String other() {
            return Gate.pass();
        }
    }

    /** The interceptor finds the method by the names of its parameter types. */
    @Singleton
    public static class Parameters {

        @RedisBulkhead(name = "parameters of every kind", permits = PERMITS)
        <T, C extends Comparable<C>, N extends Parent & Comparable<N>> String run(int number, long[][] numbers, String text,
                String[] texts, Map.Entry<String, T> entry, Map.Entry<?, ?>[] entries, Parent nested, Parent[][] nesteds,
                List<T> list, List<? super T>[] lists, T variable, T[] variables, C bound, C[] bounds, N twice) {
            return Gate.pass();
        }
    }

    @Singleton
    public static class Unused {

        @RedisBulkhead(name = "unused bean", permits = PERMITS)
        void guarded() {
        }
    }
}
