package io.quarkiverse.redisbulkhead.deployment.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.MethodParameterInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkus.arc.Arc;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.InjectableBean;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.test.QuarkusUnitTest;

/** Discovery finds keys in every shape of guarded method, and records them with their bulkhead. */
class KeysDiscoveryTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(KeysDiscoveryTest.class.getDeclaredClasses()))
            .addBuildChainCustomizer(builder -> builder
                    .addBuildStep(context -> context.produce(new AnnotationsTransformerBuildItem(new Guarding())))
                    .produces(AnnotationsTransformerBuildItem.class)
                    .build());

    @Inject
    Declarations declarations;

    @Test
    void findsTheKeyOfEachBulkhead() {
        assertThat(declarations.methods()).flatExtracting(this::keys).containsExactlyInAnyOrder(
                "Methods#first: pages by parameter 0 host",
                "Methods#second: pages by parameter 1 host",
                "Methods#named: pages by parameter 0 host",
                "Methods#unkeyed: unkeyed",
                "Whole#one: whole by parameter 0 tenant",
                "Whole#two: whole by parameter 2 customer",
                "Heir#inherited: heir by parameter 0 id",
                "Heir#overridden: heir by parameter 1 id",
                "Bound#load: generic by parameter 0 key",
                "Overriding#load: generic by parameter 0 text",
                "WithPort#byDefault: port by parameter 0 name",
                "Several#several: zulu by parameter 1 b",
                "Several#several: yankee by TenantKey, the bean TenantKey",
                "Several#several: x-ray",
                "Several#several: whiskey by parameter 0 a",
                "ByBean#ofClass: pages by TenantKey, the bean TenantKey",
                "ByBean#unusedOtherwise: by-bean by UnusedKey, the bean UnusedKey",
                "ByBean#produced: by-bean by ProducedKey, the bean Producers",
                "ByBean#ofInterface: by-bean by KeyPort, the bean KeyAdapter",
                "ByBean#notTheDefaultBean: by-bean by FallbackKey, the bean OtherKey",
                "WholeByBean#covered: whole-by-bean by TenantKey, the bean TenantKey",
                "Client$$CDIWrapper#own: client by parameter 1 host",
                "Client$$CDIWrapper#inherited: client by parameter 0 host",
                "Client$$CDIWrapper#byDefault: client by parameter 0 host",
                "Client$$CDIWrapper#several: client-host by parameter 1 host",
                "Client$$CDIWrapper#several: client-path by parameter 0 path",
                "WholeClient$$CDIWrapper#covered: whole-client by parameter 0 host",
                "WholeClient$$CDIWrapper#generic: whole-client by parameter 0 key",
                "Transformed#transformed: transformed by parameter 0 name");
    }

    private List<String> keys(MethodDeclaration method) {
        return method.bulkheads().stream()
                .map(use -> method.beanClass() + "#" + method.name() + ": " + use.annotation().name() + key(use.key()))
                .map(line -> line.replace(KeysDiscoveryTest.class.getName() + "$", "")).toList();
    }

    private static String key(KeyOrigin key) {
        if (key instanceof KeyOrigin.Parameter parameter) {
            return " by parameter " + parameter.index() + " " + parameter.name();
        }
        if (key instanceof KeyOrigin.Resolver resolver) {
            InjectableBean<?> bean = Arc.container().bean(resolver.bean());
            InjectableBean<?> declaring = bean.getDeclaringBean();
            return " by " + resolver.type() + ", the bean " + (declaring == null ? bean : declaring).getBeanClass().getName();
        }
        return "";
    }

    /** Guards a method, and makes its first parameter the key, as another extension might do, in no order. */
    static class Guarding implements AnnotationTransformation {

        @Override
        public int priority() {
            return DEFAULT_PRIORITY_VALUE - 1;
        }

        @Override
        public void apply(TransformationContext context) {
            if (context.declaration().asMethod().name().equals("transformed")) {
                context.add(AnnotationInstance.builder(RedisBulkhead.class).add("name", "transformed").add("permits", 1)
                        .buildWithTarget(context.declaration()));
                context.add(AnnotationInstance.builder(BulkheadKey.class)
                        .buildWithTarget(MethodParameterInfo.create(context.declaration().asMethod(), (short) 0)));
            }
        }

        @Override
        public boolean supports(org.jboss.jandex.AnnotationTarget.Kind kind) {
            return kind == org.jboss.jandex.AnnotationTarget.Kind.METHOD;
        }
    }

    @Singleton
    static class Methods {
        @RedisBulkhead(name = "pages", permits = 1)
        void first(@BulkheadKey String host, String path) {
        }

        @RedisBulkhead(name = "pages", permits = 1)
        void second(String path, @BulkheadKey String host) {
        }

        @RedisBulkhead(name = "pages", permits = 1)
        void named(@BulkheadKey("pages") String host) {
        }

        @RedisBulkhead(name = "unkeyed", permits = 1)
        void unkeyed(String host) {
        }
    }

    @ApplicationScoped
    @RedisBulkhead(name = "whole", permits = 1)
    static class Whole {
        void one(@BulkheadKey String tenant) {
        }

        void two(String first, String second, @BulkheadKey int customer) {
        }
    }

    abstract static class Base {
        @RedisBulkhead(name = "heir", permits = 1)
        void inherited(@BulkheadKey long id) {
        }

        // The overriding method decides.
        @RedisBulkhead(name = "heir", permits = 1)
        void overridden(@BulkheadKey Object ignored, long id) {
        }
    }

    @Singleton
    static class Heir extends Base {
        @Override
        @RedisBulkhead(name = "heir", permits = 1)
        void overridden(Object ignored, @BulkheadKey long id) {
        }
    }

    abstract static class Generic<A, K> {
        @RedisBulkhead(name = "generic", permits = 1)
        void load(@BulkheadKey K key, A other) {
        }
    }

    abstract static class Middle<T> extends Generic<Object, T> {
    }

    @Singleton
    static class Bound extends Middle<UUID> {
    }

    @Singleton
    static class Overriding extends Generic<Object, String> {
        @Override
        @RedisBulkhead(name = "generic", permits = 1)
        void load(@BulkheadKey String text, Object other) {
        }
    }

    interface Port {
        default void byDefault(@BulkheadKey String name) {
        }
    }

    @Singleton
    @RedisBulkhead(name = "port", permits = 1)
    static class WithPort implements Port {
    }

    @Singleton
    static class Several {
        @RedisBulkhead(name = "zulu", permits = 1)
        @RedisBulkhead(name = "yankee", permits = 1, keyResolver = TenantKey.class)
        @RedisBulkhead(name = "x-ray", permits = 1)
        @RedisBulkhead(name = "whiskey", permits = 1)
        void several(@BulkheadKey("whiskey") String a, @BulkheadKey("zulu") String b) {
        }
    }

    @Singleton
    static class ByBean {
        // Keyed by a parameter elsewhere.
        @RedisBulkhead(name = "pages", permits = 1, keyResolver = TenantKey.class)
        void ofClass() {
        }

        @RedisBulkhead(name = "by-bean", permits = 1, keyResolver = UnusedKey.class)
        void unusedOtherwise() {
        }

        @RedisBulkhead(name = "by-bean", permits = 1, keyResolver = ProducedKey.class)
        void produced() {
        }

        @RedisBulkhead(name = "by-bean", permits = 1, keyResolver = KeyPort.class)
        void ofInterface() {
        }

        @RedisBulkhead(name = "by-bean", permits = 1, keyResolver = FallbackKey.class)
        void notTheDefaultBean() {
        }
    }

    @Singleton
    @RedisBulkhead(name = "whole-by-bean", permits = 1, keyResolver = TenantKey.class)
    static class WholeByBean {
        void covered() {
        }
    }

    abstract static class Key implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return null;
        }
    }

    @ApplicationScoped
    static class TenantKey extends Key {
    }

    @Dependent
    static class UnusedKey extends Key {
    }

    static class ProducedKey extends Key {
    }

    interface KeyPort extends BulkheadKeyResolver {
    }

    @Singleton
    static class KeyAdapter extends Key implements KeyPort {
    }

    @Singleton
    @DefaultBean
    static class FallbackKey extends Key {
    }

    @Singleton
    static class OtherKey extends FallbackKey {
    }

    @Singleton
    static class Producers {
        @Produces
        @Singleton
        ProducedKey key() {
            return new ProducedKey();
        }
    }

    interface ClientBase {
        @GET
        @Path("inherited/{host}")
        @RedisBulkhead(name = "client", permits = 1)
        String inherited(@PathParam("host") @BulkheadKey String host);
    }

    @Path("client")
    @RegisterRestClient(baseUri = "http://localhost:1")
    interface Client extends ClientBase {
        @GET
        @RedisBulkhead(name = "client", permits = 1)
        String own(@QueryParam("q") String query, @QueryParam("host") @BulkheadKey String host);

        @RedisBulkhead(name = "client", permits = 1)
        default String byDefault(@BulkheadKey String host) {
            return host;
        }

        @GET
        @Path("several")
        @RedisBulkhead(name = "client-host", permits = 1)
        @RedisBulkhead(name = "client-path", permits = 1)
        String several(@QueryParam("path") @BulkheadKey("client-path") String path,
                @QueryParam("host") @BulkheadKey("client-host") String host);
    }

    interface GenericClientBase<K> {
        @GET
        @Path("generic")
        String generic(@QueryParam("key") @BulkheadKey K key);
    }

    @Path("whole-client")
    @RegisterRestClient(baseUri = "http://localhost:1")
    @RedisBulkhead(name = "whole-client", permits = 1)

    interface WholeClient extends GenericClientBase<String> {
        @GET
        String covered(@QueryParam("host") @BulkheadKey String host);
    }

    @Singleton
    static class Transformed {
        void transformed(String name) {
        }
    }
}
