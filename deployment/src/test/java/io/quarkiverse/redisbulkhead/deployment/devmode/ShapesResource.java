package io.quarkiverse.redisbulkhead.deployment.devmode;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RestClient;

/** Calls each shape and returns the permits held meanwhile. {@link LiveReloadTest} changes this file too. */
@Path("/shapes")
public class ShapesResource {

    @Inject
    Shapes.Methods methods;
    @Inject
    Shapes.Heir heir;
    @Inject
    Shapes.Concrete concrete;
    @Inject
    Function<Integer, String> function;
    @RestClient
    Shapes.Client client;
    @RestClient
    Shapes.WholeClient wholeClient;

    @GET
    public Map<String, String> shapes() {
        Map<String, String> held = new TreeMap<>();
        held.put("a method", call(methods::guarded));
        held.put("several bulkheads", call(methods::several));
        held.put("a Uni", call(() -> methods.uni().await().indefinitely()));
        held.put("a nested call", call(methods::nested));
        held.put("a key", call(() -> methods.keyed("one", "other")));
        held.put("a resolved key", call(() -> methods.resolved("one", "other")));
        held.put("will be added", call(methods::added));
        held.put("will be removed", call(methods::removed));
        held.put("an inherited class", call(heir::covered));
        held.put("an inherited method", call(heir::inherited));
        held.put("a generic superclass", call(() -> concrete.load(1).await().indefinitely()));
        held.put("an interface", call(() -> function.apply(1)));
        held.put("a REST client's method", call(client::tell));
        held.put("a REST client's interface", call(() -> wholeClient.tell().await().indefinitely()));
        return held;
    }

    private static String call(Callable<String> shape) {
        try {
            return shape.call();
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }
}
