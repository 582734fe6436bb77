package io.quarkiverse.redisbulkhead.runtime;

import static io.smallrye.config.ConfigValue.CONFIG_SOURCE_COMPARATOR;

import java.util.Optional;

import jakarta.annotation.Priority;

import io.quarkiverse.redisbulkhead.runtime.definition.Spellings;
import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.Priorities;

/**
 * Makes the spellings of a property with and without quotes one property, in all sources. Without it, the map of the
 * configuration would read all properties of a bulkhead in the spelling of whichever it came across first, and pass over the
 * others. The source with the higher ordinal wins, and within one source the spelling with quotes. The value keeps the name
 * under which it was found, which is what messages tell.
 * <p>
 * It stands between the sources and the profiles, so that a value of a profile wins in either spelling. Quarkus finds it as a
 * service, at build time and at run time.
 */
@Priority(Priorities.LIBRARY)
public final class SpellingInterceptor implements ConfigSourceInterceptor {

    private static final long serialVersionUID = 1L;

    @Override
    public ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
        Optional<String> other = Spellings.other(name);
        return other.isEmpty() ? context.proceed(name)
                : Spellings.isWithQuotes(name) ? winner(context, name, other.get()) : winner(context, other.get(), name);
    }

    private static ConfigValue winner(ConfigSourceInterceptorContext context, String withQuotes, String without) {
        ConfigValue quoted = context.proceed(withQuotes);
        ConfigValue plain = context.proceed(without);
        if (quoted == null || plain == null) {
            return quoted == null ? plain : quoted;
        }
        return CONFIG_SOURCE_COMPARATOR.compare(quoted, plain) >= 0 ? quoted : plain;
    }
}
