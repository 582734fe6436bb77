package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;

/** The query parameters of a request. What is not understood is refused, so that a mistyped name has no effect unseen. */
final class Query {

    private static final String NOT_UTF8 = "\uFFFD";
    private static final String NOT_UTF8_ENCODED = "%EF%BF%BD";

    private final MultiMap values;

    /**
     * Reads them.
     *
     * @param ctx the request
     * @param known the names that there are
     */
    Query(RoutingContext ctx, Set<String> known) {
        this.values = ctx.queryParams();
        for (String name : values.names()) {
            if (!known.contains(name)) {
                throw Problem.badRequest("There is no query parameter '" + name + "' here. "
                        + (known.isEmpty() ? "This request takes none"
                                : "Known: " + String.join(", ", known.stream().sorted().toList())));
            }
            if (values.getAll(name).size() > 1) {
                throw Problem.badRequest("The query parameter " + name + " is there more than once. Say it once");
            }
        }
        if (values.entries().stream().anyMatch(value -> value.getValue().contains(NOT_UTF8))
                && !ctx.request().query().toUpperCase(Locale.ROOT).contains(NOT_UTF8_ENCODED)) {
            throw Problem.badRequest("The query is not UTF-8. Write characters of names and keys as %xx, in UTF-8");
        }
    }

    /** A text; it may be empty. */
    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** A number. */
    int number(String name, int otherwise, int most) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.get());
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As for one that is out of range.
        }
        throw Problem.badRequest("The query parameter " + name + " must be a number from 0 to " + most);
    }
}
