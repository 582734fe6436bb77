package io.quarkiverse.redisbulkhead.deployment.management;

import java.math.BigDecimal;
import java.util.List;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;

/** What the management endpoint takes and answers, member by member. */
final class ManagementSchemas {

    static final String BULKHEADS = "RedisBulkheads";
    static final String BULKHEAD = "RedisBulkhead";
    static final String NEW_LIMIT = "RedisBulkheadNewLimit";
    static final String PROBLEM = "RedisBulkheadProblem";

    private static final String DEFINITION = "RedisBulkheadDefinition";
    private static final String LIMIT = "RedisBulkheadLimit";
    private static final String HOLDER = "RedisBulkheadHolder";
    private static final String WAITER = "RedisBulkheadWaiter";

    private ManagementSchemas() {
    }

    static void addTo(Components components) {
        components.addSchema(BULKHEADS, bulkheads());
        components.addSchema(BULKHEAD, bulkhead());
        components.addSchema(DEFINITION, definition());
        components.addSchema(LIMIT, limit());
        components.addSchema(HOLDER, holder());
        components.addSchema(WAITER, waiter());
        components.addSchema(NEW_LIMIT, newLimit());
        components.addSchema(PROBLEM, problem());
    }

    static Schema ref(String name) {
        return OASFactory.createSchema().ref("#/components/schemas/" + name);
    }

    static Schema text() {
        return ofType(SchemaType.STRING);
    }

    static Schema count(int least, int most) {
        return ofType(SchemaType.INTEGER).format("int32").minimum(BigDecimal.valueOf(least)).maximum(BigDecimal.valueOf(most));
    }

    private static Schema bulkheads() {
        return ofType(SchemaType.OBJECT).required(List.of("at", "bulkheads"))
                .addProperty("at", moment("When Redis was asked, by the clock of the application that answers"))
                .addProperty("incomplete", text("Why there may be more in use; missing when these are all"))
                .addProperty("bulkheads", listOf(BULKHEAD, "By name"));
    }

    private static Schema bulkhead() {
        return ofType(SchemaType.OBJECT).required(List.of("name", "declared", "keyed", "limits"))
                .addProperty("at", moment("When Redis was asked; only where one bulkhead was asked for"))
                .addProperty("incomplete", text("Why there may be more in use; only where one bulkhead was asked for"))
                .addProperty("name", text("Its name"))
                .addProperty("declared", truth("Whether an annotation of this application declares it"))
                .addProperty("keyed", truth("Whether it has one limit for each key"))
                .addProperty("definition", ref(DEFINITION))
                .addProperty("methods", ofType(SchemaType.ARRAY).items(text()).description("The methods that it guards here"))
                .addProperty("keysWithoutText", number("How many more keys are in use whose texts Redis does not keep"))
                .addProperty("limits", listOf(LIMIT, "Its only limit, or that of each key that is in use"));
    }

    private static Schema definition() {
        return ofType(SchemaType.OBJECT).description("How this application defines it; missing when it does not")
                .addProperty("enabled", truth("Whether it limits anything"))
                .addProperty("permits", number("How many executions may run at once"))
                .addProperty("weight", number("How much of the limit a call takes; 1 where places of the code differ"))
                .addProperty("fair", truth("Whether waiters get permits in the order of their requests"))
                .addProperty("expire", duration("The lease"))
                .addProperty("maxWait", duration("How long a call waits"))
                .addProperty("maxHold",
                        duration("For how long a permit is renewed at the most; missing when there is no bound"))
                .addProperty("minHold", duration("How long a permit is taken at least, even if it is released earlier"))
                .addProperty("maxWaiters",
                        number("How many calls of one instance may wait at once; missing when there is no bound"))
                .addProperty("onLost", choice("What happens to an execution that loses its permit", "report", "interrupt"))
                .addProperty("onOutage", choice("What happens to calls while Redis is away", "reject", "allow", "local"))
                .addProperty("localPermits", number("The limit of this process under onOutage=local"))
                .addProperty("awaitRelease", truth("Whether calls return only when Redis has confirmed their releases"));
    }

    private static Schema limit() {
        return ofType(SchemaType.OBJECT).required(List.of("inUse", "waiting", "holders", "waiters"))
                .addProperty("key", text("The key; missing when the bulkhead is one limit for all"))
                .addProperty("limit", number("How many permits there are; missing when that is not known here"))
                .addProperty("resized", truth("Whether the limit was set for all applications"))
                .addProperty("limitsDiffer", truth("Whether applications are configured with different limits, and it matters"))
                .addProperty("statedLimits", ofType(SchemaType.ARRAY).items(ofType(SchemaType.INTEGER))
                        .description("The limits by which permits were asked for within the last minute"))
                .addProperty("inUse", number("How many permits are held, by their weights"))
                .addProperty("waiting", number("How many wait"))
                .addProperty("holders", listOf(HOLDER, "The lease that ends first comes first; at most as many as asked for"))
                .addProperty("waiters", listOf(WAITER, "The fair ones first, in their order; at most as many as asked for"));
    }

    private static Schema holder() {
        return row().addProperty("fencingToken", text("The fencing token, as text, because it is greater than 2^53"))
                .addProperty("since", moment("When the permit was granted, by the clock of Redis"))
                .addProperty("until", moment("When the lease ends, by the clock of Redis"))
                .addProperty("state",
                        choice("Whether the holder still has the permit, or it was released and stays taken until its "
                                + "minimum hold is over", "held", "detached", "released"));
    }

    private static Schema waiter() {
        return row().addProperty("ticket", text("The place in the order, as text; 0 in a bulkhead that is not fair"))
                .addProperty("since", moment("When Redis saw the request, by its clock"))
                .addProperty("until", moment("When the place is given up unless the application shows that it is alive"));
    }

    private static Schema row() {
        return ofType(SchemaType.OBJECT)
                .addProperty("permitId", text("The permit"))
                .addProperty("weight", number("How much of the limit it takes"))
                .addProperty("application", text("The name of the application"))
                .addProperty("instance", text("Its host and process"))
                .addProperty("method", text("The method"));
    }

    private static Schema newLimit() {
        return ofType(SchemaType.OBJECT).required(List.of("permits"))
                .addProperty("permits", count(1, Integer.MAX_VALUE).description("The new number of permits"));
    }

    private static Schema problem() {
        return ofType(SchemaType.OBJECT).required(List.of("title", "status", "detail"))
                .addProperty("title", text("The kind of problem"))
                .addProperty("status", number("The status of the response"))
                .addProperty("detail", text("What is wrong, and the way out"));
    }

    private static Schema ofType(SchemaType type) {
        return OASFactory.createSchema().addType(type);
    }

    private static Schema text(String description) {
        return text().description(description);
    }

    private static Schema truth(String description) {
        return ofType(SchemaType.BOOLEAN).description(description);
    }

    private static Schema number(String description) {
        return ofType(SchemaType.INTEGER).format("int32").minimum(BigDecimal.ZERO).description(description);
    }

    private static Schema moment(String description) {
        return text(description).format("date-time");
    }

    private static Schema duration(String description) {
        return text(description + ", such as PT30S").format("duration");
    }

    private static Schema choice(String description, Object... values) {
        return text(description).enumeration(List.of(values));
    }

    private static Schema listOf(String schema, String description) {
        return ofType(SchemaType.ARRAY).items(ref(schema)).description(description);
    }
}
