package io.quarkiverse.redisbulkhead.behaviour;

import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.SYNCHRONOUS;
import static io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind.UNI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Discovery finds annotations on REST client interfaces for the beans that Quarkus generates. */
@QuarkusTest
class RestClientDiscoveryTest {

    @Inject
    Declarations declarations;
    @RestClient
    Partner partner;
    @RestClient
    Whole whole;
    @RestClient
    Several several;

    @Test
    void methodsOfTheInterfaceAndItsSuperInterfaces() {
        assertThat(methodsOf(Partner.class)).containsExactlyInAnyOrder(
                method(Partner.class, "one", SYNCHRONOUS, List.of("client-partner"), String.class, int[].class),
                method(Partner.class, "several", UNI, List.of("client-zulu", "client-partner", "client-alpha")),
                method(Partner.class, "byDefault", SYNCHRONOUS, List.of("client-partner")),
                method(Partner.class, "inherited", SYNCHRONOUS, List.of("client-base")),
                method(Partner.class, "severalInherited", SYNCHRONOUS, List.of("client-zulu", "client-base")));
    }

    @Test
    void theInterfaceItself() {
        assertThat(methodsOf(Whole.class)).containsExactlyInAnyOrder(
                method(Whole.class, "covered", SYNCHRONOUS, List.of("client-whole")),
                method(Whole.class, "own", SYNCHRONOUS, List.of("client-own")),
                method(Whole.class, "inherited", SYNCHRONOUS, List.of("client-base")),
                method(Whole.class, "severalInherited", SYNCHRONOUS, List.of("client-zulu", "client-base")),
                method(Whole.class, "coveredToo", SYNCHRONOUS, List.of("client-whole")));
    }

    @Test
    void severalOnTheInterfaceItself() {
        assertThat(methodsOf(Several.class)).containsExactly(
                method(Several.class, "covered", SYNCHRONOUS, List.of("client-zulu", "client-alpha")));
    }

    @Test
    void containerUsesTheSameNames() {
        assertThat(partner.byDefault()).isEqualTo("default");
        assertThatThrownBy(() -> partner.one("", new int[0])).isInstanceOf(ProcessingException.class);
        assertThatThrownBy(partner::severalInherited).isInstanceOf(ProcessingException.class);
        assertThatThrownBy(whole::coveredToo).isInstanceOf(ProcessingException.class);
    }

    @Test
    void locationsNameTheInterfaces() {
        String test = RestClientDiscoveryTest.class.getName();
        assertThat(declarations.bulkheads()).filteredOn(bulkhead -> bulkhead.location().startsWith(test + "$"))
                .extracting(BulkheadDeclaration::name, BulkheadDeclaration::location)
                .containsExactlyInAnyOrder(
                        tuple("client-alpha", test + "$Partner#several"), tuple("client-alpha", test + "$Several"),
                        tuple("client-base", test + "$PartnerBase#inherited"),
                        tuple("client-base", test + "$PartnerBase#severalInherited"),
                        tuple("client-own", test + "$Whole#own"),
                        tuple("client-partner", test + "$Partner#byDefault"), tuple("client-partner", test + "$Partner#one"),
                        tuple("client-partner", test + "$Partner#several"),
                        tuple("client-whole", test + "$Whole"),
                        tuple("client-zulu", test + "$Partner#several"),
                        tuple("client-zulu", test + "$PartnerBase#severalInherited"),
                        tuple("client-zulu", test + "$Several"));
    }

    private List<MethodDeclaration> methodsOf(Class<?> client) {
        return declarations.methods().stream()
                .filter(method -> method.beanClass().equals(client.getName() + "$$CDIWrapper"))
                .toList();
    }

    private static MethodDeclaration method(Class<?> client, String name, ReturnKind returns, List<String> bulkheads,
            Class<?>... parameters) {
        return new MethodDeclaration(client.getName() + "$$CDIWrapper", name,
                List.of(parameters).stream().map(Class::getName).toList(), returns, client.getSimpleName() + "#" + name,
                Unkeyed.bulkheads(bulkheads.toArray(String[]::new)));
    }

    @Path("base")
    public interface PartnerBase {

        @GET
        @Path("inherited")
        @RedisBulkhead(name = "client-base", permits = 1)
        String inherited();

        @GET
        @Path("several-inherited")
        @RedisBulkhead(name = "client-zulu", permits = 1)
        @RedisBulkhead(name = "client-base", permits = 1)
        String severalInherited();

        @GET
        @Path("covered-too")
        String coveredToo();
    }

    @Path("partner")
    @RegisterRestClient(baseUri = "http://localhost:1")
    public interface Partner extends PartnerBase {

        @POST
        @RedisBulkhead(name = "client-partner", permits = 1)
        String one(String body, @QueryParam("q") int[] query);

        @GET
        @RedisBulkhead(name = "client-zulu", permits = 1)
        @RedisBulkhead(name = "client-partner", permits = 1)
        @RedisBulkhead(name = "client-alpha", permits = 1)
        Uni<String> several();

        @RedisBulkhead(name = "client-partner", permits = 1)
        default String byDefault() {
            return "default";
        }

        @GET
        @Path("unguarded")
        String unguarded();
    }

    @Path("whole")
    @RegisterRestClient(baseUri = "http://localhost:1")
    @RedisBulkhead(name = "client-whole", permits = 1)
    public interface Whole extends PartnerBase {

        @GET
        String covered();

        @POST
        @RedisBulkhead(name = "client-own", permits = 1)
        String own();
    }

    @Path("several")
    @RegisterRestClient(baseUri = "http://localhost:1")
    @RedisBulkhead(name = "client-zulu", permits = 1)
    @RedisBulkhead(name = "client-alpha", permits = 1)
    public interface Several {

        @GET
        String covered();
    }
}
