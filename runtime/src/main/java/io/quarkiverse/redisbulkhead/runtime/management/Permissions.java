package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.eclipse.microprofile.config.Config;

/** The HTTP permissions that are configured, as far as to know which paths they cover. */
final class Permissions {

    private static final String PATHS = ".paths";
    private static final String ENABLED = ".enabled";

    private final Config config;
    private final String group;
    private final String root;

    /**
     * @param config the configuration
     * @param group what their properties start with
     * @param root what paths without a slash at the beginning are relative to
     */
    Permissions(Config config, String group, String root) {
        this.config = config;
        this.group = group;
        this.root = root.endsWith("/") ? root : root + "/";
    }

    /** Whether there is one for a path and all that is below it. */
    boolean cover(String path) {
        List<String> patterns = StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(property -> property.startsWith(group) && property.endsWith(PATHS))
                .filter(this::isEnabled)
                .flatMap(
                        property -> Stream.of(config.getOptionalValue(property, String[].class).orElseGet(() -> new String[0])))
                .map(String::trim).toList();
        return Stream.of("/any/limit", "/any/permits/any")
                .allMatch(changed -> patterns.stream().anyMatch(pattern -> covers(pattern, path + changed)));
    }

    private boolean isEnabled(String paths) {
        String permission = paths.substring(0, paths.length() - PATHS.length());
        return config.getOptionalValue(permission + ENABLED, Boolean.class).orElse(true);
    }

    // A star at the end is for all that is below, any other for one part of the path.
    private boolean covers(String pattern, String path) {
        String absolute = pattern.startsWith("/") ? pattern : root + pattern;
        boolean below = absolute.endsWith("/*");
        String parts = Arrays.stream((below ? absolute.substring(0, absolute.length() - 2) : absolute).split("/", -1))
                .map(part -> part.equals("*") ? "[^/]+" : Pattern.quote(part)).collect(Collectors.joining("/"));
        return Pattern.matches(below ? parts + "(/.*)?" : parts, path);
    }
}
