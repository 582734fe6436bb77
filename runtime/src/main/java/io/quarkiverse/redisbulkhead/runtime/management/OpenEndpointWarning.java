package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Secured;

/**
 * Says that anyone could change limits, if it looks so.
 *
 * @param path where the endpoint is
 * @param group the properties of HTTP permissions start with this
 * @param root what paths without a slash at the beginning are relative to
 * @param secured whether the application has any security, and whether code may secure the path
 */
record OpenEndpointWarning(String path, String group, String root, Secured secured) {

    private static final String PATHS = ".paths";
    private static final String ENABLED = ".enabled";

    /** The warning; empty if permissions cover the path, or code may do so. */
    Optional<String> text(Config config) {
        boolean quiet = switch (secured) {
            case NOT, NOT_ENFORCED -> false;
            case BY_CONFIGURATION -> isCovered(config);
            case BY_CODE -> true;
        };
        return quiet ? Optional.empty() : Optional.of(text());
    }

    private String text() {
        return "Any client that reaches " + path + " can revoke permits and set limits:"
                + " quarkus.redis-bulkhead.management.changes-enabled=true, and " + switch (secured) {
                    case NOT ->
                        "no " + group
                                + "* covers that path and the paths below it, and the application has no security extension";
                    case NOT_ENFORCED ->
                        "the management interface performs no authentication, so permissions have no effect."
                                + " Set quarkus.management.auth.basic=true, or quarkus.management.auth.enabled=true with another mechanism";
                    default -> "no " + group + "* covers that path and the paths below it. End its paths with /*";
                };
    }

    private boolean isCovered(Config config) {
        List<Pattern> patterns = StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(property -> property.startsWith(group) && property.endsWith(PATHS))
                .filter(property -> config.getOptionalValue(
                        property.substring(0, property.length() - PATHS.length()) + ENABLED, Boolean.class).orElse(true))
                .flatMap(property -> config.getOptionalValue(property, String[].class).stream().flatMap(Arrays::stream))
                .map(paths -> pattern(paths.trim())).toList();
        return Stream.of("/any/limit", "/any/permits/any")
                .allMatch(below -> patterns.stream().anyMatch(pattern -> pattern.matcher(path + below).matches()));
    }

    // A star at the end is for all that is below, any other for one part of the path.
    private Pattern pattern(String paths) {
        String absolute = paths.startsWith("/") ? paths : root.endsWith("/") ? root + paths : root + "/" + paths;
        boolean below = absolute.endsWith("/*");
        String parts = Arrays.stream((below ? absolute.substring(0, absolute.length() - 2) : absolute).split("/", -1))
                .map(part -> part.equals("*") ? "[^/]+" : Pattern.quote(part)).collect(Collectors.joining("/"));
        return Pattern.compile(below ? parts + "(/.*)?" : parts);
    }
}
