package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * Reads the properties of the extension that are set at run time, and checks each value.
 * <p>
 * The map of bulkheads in the configuration mapping has two gaps: it drops the values of a name that is in quotes in one
 * property and not in another, and environment variables appear in it only if another source has the same name. So each
 * property of a bulkhead is looked up by its name.
 *
 * @param config the configuration of the application
 * @param atBuild whether expressions may have no value yet
 * @param errors takes values that cannot be used
 */
record Configuration(Config config, boolean atBuild, ValidationErrors errors) {

    static final String ENVIRONMENT = "EnvConfigSource";
    private static final String NEED_QUOTES = ".\"\\[]";
    private static final String OF_LOCKS = Texts.PREFIX + KnownProperties.LOCKS + ".";

    /** The values for all bulkheads and locks, by property without prefix. */
    Map<String, Value> forAll() {
        Map<String, Value> values = new TreeMap<>();
        for (String member : KnownProperties.FOR_ALL) {
            String property = Texts.PREFIX + member;
            put(values, KnownProperties.FOR_ALL, member, property, config.getConfigValue(property));
        }
        return values;
    }

    /** The values of one bulkhead; none if no bulkhead can be configured by that name. */
    Map<String, Value> ofBulkhead(String name) {
        return KnownProperties.isReserved(name) ? Map.of()
                : ofName(Texts.PREFIX, name, KnownProperties.OF_BULKHEAD);
    }

    /** The values of the locks that are configured. Only the names of properties tell their names. */
    Map<String, Map<String, Value>> ofLocks() {
        Map<String, Map<String, Value>> locks = new TreeMap<>();
        for (String property : config.getPropertyNames()) {
            if (property.startsWith(OF_LOCKS)) {
                List<String> segments = Texts.segments(property, OF_LOCKS);
                if (segments.size() == 2 && !locks.containsKey(segments.get(0))) {
                    locks.put(segments.get(0), ofName(OF_LOCKS, segments.get(0), KnownProperties.OF_LOCK));
                }
            }
        }
        return locks;
    }

    // Quotes are optional. If both spellings of a property are set, the source with the higher ordinal wins.
    private Map<String, Value> ofName(String prefix, String name, Set<String> members) {
        Map<String, Value> values = new TreeMap<>();
        for (String member : members) {
            String quoted = prefix + Texts.segment(name) + "." + member;
            ConfigValue inQuotes = config.getConfigValue(quoted);
            String plain = prefix + name + "." + member;
            ConfigValue without = needsQuotes(name) ? null : config.getConfigValue(plain);
            if (without == null || !isSet(without)
                    || isSet(inQuotes) && inQuotes.getSourceOrdinal() > without.getSourceOrdinal()) {
                put(values, members, member, quoted, inQuotes);
                continue;
            }
            put(values, members, member, plain, without);
            if (isSet(inQuotes) && inQuotes.getSourceOrdinal() == without.getSourceOrdinal()) {
                errors.add(MessageCode.RBH032, quoted + " and " + plain, Texts.quoted(name) + " is in quotes in one of them and"
                        + " not in the other, and both have the same priority. Remove one of them");
            }
        }
        return values;
    }

    private static boolean needsQuotes(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (NEED_QUOTES.indexOf(name.charAt(i)) >= 0) {
                return true;
            }
        }
        return name.isEmpty();
    }

    private void put(Map<String, Value> values, Set<String> group, String member, String property, ConfigValue configured) {
        if (!isSet(configured)) {
            return;
        }
        Object value = null;
        if (configured.getValue() != null) {
            try {
                value = KnownProperties.valueOf(group, member, configured.getValue());
            } catch (IllegalArgumentException e) {
                errors.add(MessageCode.RBH005, property, e.getMessage());
            }
        } else if (!atBuild) {
            errors.add(MessageCode.RBH026, property, "the value '" + configured.getRawValue() + "' refers to a property that"
                    + " is not set. Set it, or provide a default, as in ${property:default}");
        }
        // Defaults of the mapping come from there, and what was set for the build.
        boolean byDefault = configured.getSourceOrdinal() == Integer.MIN_VALUE && group == KnownProperties.FOR_ALL;
        values.put(member, new Value(byDefault ? "" : property, value));
    }

    /** A blank value unsets a property. */
    static boolean isSet(ConfigValue value) {
        return value.getRawValue() != null && !value.getRawValue().isBlank();
    }

    /** The environment variable of a property, or of a part of it. */
    static String variable(String property) {
        // SmallRye Config replaces each char, and regular expressions match code points.
        return property.replaceAll("[\\x{10000}-\\x{10FFFF}]", "__").replaceAll("[^A-Za-z0-9" + Declarations.OPEN + "]", "_")
                .toUpperCase(Locale.ROOT);
    }
}
