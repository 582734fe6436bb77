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
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
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
            .withApplicationRoot(jar -> jar.addClasses(Methods.class, Whole.class, Base.class, Heir.class, Generic.class,
                    Middle.class, Bound.class, Overriding.class, Port.class, WithPort.class, Several.class, ByBean.class,
                    WholeByBean.class, TenantKey.class, UnusedKey.class, ProducedKey.class, Producers.class, KeyPort.class,
                    KeyAdapter.class, FallbackKey.class, OtherKey.class, ClientBase.class, GenericClientBase.class,
                    Client.class, WholeClient.class, Transformed.class))
            .addBuildChainCustomizer(builder -> builder
                    .addBuildStep(context -> context.produce(new AnnotationsTransformerBuildItem(new FirstIsKey())))
                    .produces(AnnotationsTransformerBuildItem.class)
                    .build());

    @Inject
    Declarations declarations;

    @Test
    void parametersOfAnnotatedMethods() {
        assertThat(keys(Methods.class, "first")).containsExactly(parameter("pages", 0, "host"));
        assertThat(keys(Methods.class, "second")).containsExactly(parameter("pages", 1, "host"));
        assertThat(keys(Methods.class, "named")).containsExactly(parameter("pages", 0, "host"));
        assertThat(keys(Methods.class, "unkeyed")).containsExactly(unkeyed("unkeyed"));
    }

    @Test
    void parametersOfMethodsGuardedByTheirClass() {
        assertThat(keys(Whole.class, "one")).containsExactly(parameter("whole", 0, "tenant"));
        assertThat(keys(Whole.class, "two")).containsExactly(parameter("whole", 2, "customer"));
    }

    @Test
    void parametersOfInheritedMethods() {
        assertThat(keys(Heir.class, "inherited")).containsExactly(parameter("heir", 0, "id"));
        assertThat(keys(Heir.class, "overridden")).containsExactly(parameter("heir", 1, "id"));
    }

    @Test
    void parametersWithTypeVariables() {
        assertThat(keys(Bound.class, "load")).containsExactly(parameter("generic", 0, "key"));
        assertThat(keys(Overriding.class, "load")).containsExactly(parameter("generic", 0, "text"));
    }

    @Test
    void parametersOfDefaultMethods() {
        assertThat(keys(WithPort.class, "byDefault")).containsExactly(parameter("port", 0, "name"));
    }

    @Test
    void eachBulkheadHasItsOwnKey() {
        assertThat(keys(Several.class, "several")).containsExactly(parameter("zulu", 1, "b"),
                new BulkheadUse("yankee", 1, null, resolver(Several.class, "several", 1), BulkheadUse.NO_PARAMETER),
                unkeyed("x-ray"),
                parameter("whiskey", 0, "a"));
        assertThat(resolverBean(Several.class, "several", 1)).isEqualTo(TenantKey.class);
    }

    @Test
    void resolversAreBeans() {
        assertThat(resolverBean(ByBean.class, "ofClass", 0)).isEqualTo(TenantKey.class);
        assertThat(resolverBean(ByBean.class, "unusedOtherwise", 0)).isEqualTo(UnusedKey.class);
        assertThat(resolverBean(ByBean.class, "produced", 0)).isEqualTo(Producers.class);
        assertThat(resolverBean(ByBean.class, "ofInterface", 0)).isEqualTo(KeyAdapter.class);
        assertThat(resolverBean(ByBean.class, "notTheDefaultBean", 0)).isEqualTo(OtherKey.class);
        assertThat(resolverBean(WholeByBean.class, "covered", 0)).isEqualTo(TenantKey.class);
    }

    @Test
    void resolversAreNamedAsWritten() {
        assertThat(resolver(ByBean.class, "ofInterface", 0).type()).isEqualTo(KeyPort.class.getName());
    }

    @Test
    void keepsResolversThatNothingInjects() {
        String id = resolver(ByBean.class, "unusedOtherwise", 0).bean();
        BulkheadKeyResolver resolver = Arc.container().instance(Arc.container().<BulkheadKeyResolver> bean(id)).get();
        assertThat(resolver.resolve(new BulkheadCall("any", "Any#any", List.of()))).isEqualTo(ResolvedKey.of("unused"));
    }

    @Test
    void parametersOfRestClients() {
        assertThat(keysOfClient(Client.class, "own")).containsExactly(parameter("client", 1, "host"));
        assertThat(keysOfClient(Client.class, "inherited")).containsExactly(parameter("client", 0, "host"));
        assertThat(keysOfClient(Client.class, "byDefault")).containsExactly(parameter("client", 0, "host"));
        assertThat(keysOfClient(Client.class, "several"))
                .containsExactly(parameter("client-host", 1, "host"), parameter("client-path", 0, "path"));
    }

    @Test
    void parametersOfMethodsGuardedByTheirRestClientInterface() {
        assertThat(keysOfClient(WholeClient.class, "covered")).containsExactly(parameter("whole-client", 0, "host"));
        assertThat(keysOfClient(WholeClient.class, "generic")).containsExactly(parameter("whole-client", 0, "key"));
    }

    @Test
    void annotationsAddedByTransformations() {
        assertThat(keys(Transformed.class, "transformed")).containsExactly(parameter("transformed", 0, "name"));
    }

    private List<BulkheadUse> keys(Class<?> bean, String method) {
        return keys(bean.getName(), method);
    }

    private List<BulkheadUse> keysOfClient(Class<?> client, String method) {
        return keys(client.getName() + "$$CDIWrapper", method);
    }

    private List<BulkheadUse> keys(String bean, String method) {
        return declarations.methods().stream()
                .filter(guarded -> guarded.beanClass().equals(bean) && guarded.name().equals(method))
                .map(MethodDeclaration::bulkheads)
                .findFirst()
                .orElseThrow();
    }

    private KeyOrigin.Resolver resolver(Class<?> bean, String method, int bulkhead) {
        return (KeyOrigin.Resolver) keys(bean, method).get(bulkhead).key();
    }

    private Class<?> resolverBean(Class<?> bean, String method, int bulkhead) {
        InjectableBean<?> found = Arc.container().bean(resolver(bean, method, bulkhead).bean());
        return found.getKind() == InjectableBean.Kind.CLASS ? found.getBeanClass() : found.getDeclaringBean().getBeanClass();
    }

    private static BulkheadUse parameter(String bulkhead, int index, String name) {
        return new BulkheadUse(bulkhead, 1, null, new KeyOrigin.Parameter(index, name), BulkheadUse.NO_PARAMETER);
    }

    private static BulkheadUse unkeyed(String bulkhead) {
        return new BulkheadUse(bulkhead, 1, null, new KeyOrigin.None(), BulkheadUse.NO_PARAMETER);
    }

    /** Makes the first parameter of a method a key, as another extension might do. */
    static class FirstIsKey implements AnnotationTransformation {

        @Override
        public void apply(TransformationContext context) {
            if (context.declaration().asMethod().name().equals("transformed")) {
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

    @ApplicationScoped
    static class TenantKey implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("tenant");
        }
    }

    @Dependent
    static class UnusedKey implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("unused");
        }
    }

    static class ProducedKey implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("produced");
        }
    }

    @Singleton
    static class Producers {

        @Produces
        @Singleton
        ProducedKey key() {
            return new ProducedKey();
        }
    }

    interface KeyPort extends BulkheadKeyResolver {
    }

    @Singleton
    static class KeyAdapter implements KeyPort {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("adapter");
        }
    }

    @Singleton
    @DefaultBean
    static class FallbackKey implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of("fallback");
        }
    }

    @Singleton
    static class OtherKey extends FallbackKey {
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

        @RedisBulkhead(name = "transformed", permits = 1)
        void transformed(String name) {
        }
    }
}
