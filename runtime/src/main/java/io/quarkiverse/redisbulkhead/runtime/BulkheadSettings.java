package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ConfiguredNames;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.definition.Leases;
import io.quarkiverse.redisbulkhead.runtime.definition.LocalLimits;
import io.quarkiverse.redisbulkhead.runtime.definition.WeightLimits;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/**
 * What is in force after the configuration has been laid over the annotations.
 */
final class BulkheadSettings {

    /**
     * One bulkhead.
     *
     * @param spec its definition
     * @param enabled whether it limits anything
     */
    record Setting(SemaphoreSpec spec, boolean enabled) {
    }

    private final Definitions definitions;
    private final RedisBulkheadRuntimeConfig config;
    private final boolean inRedis;
    private final ConfigurationErrors errors;
    private final Map<String, Setting> byName = new TreeMap<>();

    private BulkheadSettings(Definitions definitions, RedisBulkheadRuntimeConfig config, boolean inRedis,
            ConfigurationErrors errors) {
        this.definitions = definitions;
        this.config = config;
        this.inRedis = inRedis;
        this.errors = errors;
    }

    /**
     * Resolves the expressions in annotations and applies the configuration.
     *
     * @param declarations what the build found
     * @param config the configuration of the extension
     * @param properties the configuration of the application
     * @param inRedis whether permits live in Redis
     * @param errors takes what is wrong
     * @return to be used when there are no errors
     */
    static BulkheadSettings of(Declarations declarations, RedisBulkheadRuntimeConfig config, Config properties, boolean inRedis,
            ConfigurationErrors errors) {
        Definitions definitions = Definitions.of(declarations.bulkheads(), properties);
        BulkheadSettings settings = new BulkheadSettings(definitions, config, inRedis, errors);
        definitions.requireResolved(errors::add);
        definitions.check(
                name -> settings.configured(name).map(BulkheadConfig::permits).filter(OptionalInt::isPresent).isPresent(),
                errors::add);
        definitions.byName().keySet().forEach(settings::add);
        ConfiguredNames.check(properties, definitions, declarations.namesElsewhere(), errors::add);
        return settings;
    }

    /**
     * The bulkheads.
     *
     * @return by name, in alphabetical order, without those that are wrong
     */
    Map<String, Setting> byName() {
        return byName;
    }

    /**
     * The name of a bulkhead.
     *
     * @param written the name as an annotation has it, which may be an expression
     * @return what that stands for
     */
    String resolved(String written) {
        return definitions.names().get(written);
    }

    /**
     * What the annotations say about a bulkhead.
     *
     * @param name a declared name
     * @return one for each annotation, by place
     */
    List<Definition> definitions(String name) {
        return definitions.byName().get(name);
    }

    /**
     * Whether a property of one bulkhead is set.
     *
     * @param name the bulkhead
     * @param member as in {@link io.quarkiverse.redisbulkhead.runtime.definition.OwnProperties#OF_ONE_BULKHEAD}
     * @return {@code true} when it wins over the annotation
     */
    boolean isConfigured(String name, String member) {
        return configured(name).map(own -> switch (member) {
            case "permits" -> own.permits().isPresent();
            case "weight" -> own.weight().isPresent();
            case "fair" -> own.fair().isPresent();
            case "expire" -> own.expire().isPresent();
            case "max-wait" -> own.maxWait().isPresent();
            case "max-hold" -> own.maxHold().isPresent();
            case "min-hold" -> own.minHold().isPresent();
            case "on-lost" -> own.onLost().isPresent();
            case "on-outage" -> own.onOutage().isPresent();
            case "local-permits" -> own.localPermits().isPresent();
            case "max-waiters" -> own.maxWaiters().isPresent();
            case "await-release" -> own.awaitRelease().isPresent();
            case "enabled" -> own.enabled().isPresent();
            default -> throw new IllegalArgumentException("No property of a bulkhead: " + member);
        }).orElse(false);
    }

    private Optional<BulkheadConfig> configured(String name) {
        return Optional.ofNullable(config.bulkheads().get(name));
    }

    // What is missing in the definitions has been noted already, and must not hide what is wrong with the configuration.
    private void add(String name) {
        Optional<BulkheadConfig> configured = configured(name);
        int before = errors.size();
        SemaphoreSpec.Builder spec = SemaphoreSpec.named(name).fair(definitions.fair(name)).onOutage(config.onOutage())
                .awaitRelease(config.awaitRelease());
        spec.weight(definitions.weight(name));
        definitions.expire(name).ifPresent(spec::expire);
        definitions.maxWait(name).ifPresent(spec::maxWait);
        OptionalInt permits = configured.map(BulkheadConfig::permits).filter(OptionalInt::isPresent)
                .orElseGet(() -> definitions.permits(name));
        permits.ifPresent(limit -> {
            set(name, "permits", limit, spec::permits);
            spec.localPermits(Math.max(1, limit / Math.max(1, config.instances())));
        });
        configured.ifPresent(own -> apply(name, own, spec));
        permits.ifPresent(limit -> WeightLimits.check(name, limit,
                configured.map(BulkheadConfig::weight).orElse(OptionalInt.empty()), definitions, errors::add));
        if (errors.size() == before && permits.isPresent()) {
            Leases.checkMinHold(PropertyNames.of(name, "min-hold"), spec::build, errors::add);
        }
        if (errors.size() == before && permits.isPresent()) {
            boolean enabled = config.enabled() && configured.flatMap(BulkheadConfig::enabled).orElse(true);
            byName.put(name, new Setting(spec.build(), enabled));
            if (enabled) {
                checkForRedis(name, permits.getAsInt(), configured);
            }
        }
    }

    private void apply(String name, BulkheadConfig own, SemaphoreSpec.Builder spec) {
        own.weight().ifPresent(weight -> set(name, "weight", weight, spec::weight));
        own.fair().ifPresent(spec::fair);
        own.expire().ifPresent(expire -> set(name, "expire", expire, spec::expire));
        own.maxWait().ifPresent(wait -> set(name, "max-wait", wait, spec::maxWait));
        own.maxHold().ifPresent(hold -> set(name, "max-hold", hold, spec::maxHold));
        own.minHold().ifPresent(hold -> set(name, "min-hold", hold, spec::minHold));
        own.onLost().ifPresent(spec::onLost);
        own.onOutage().ifPresent(spec::onOutage);
        own.awaitRelease().ifPresent(spec::awaitRelease);
        own.localPermits().ifPresent(local -> set(name, "local-permits", local, spec::localPermits));
        own.maxWaiters().ifPresent(waiters -> set(name, "max-waiters", waiters, spec::maxWaiters));
    }

    // What matters only where Redis may be slow or away.
    private void checkForRedis(String name, int permits, Optional<BulkheadConfig> configured) {
        if (!inRedis) {
            return;
        }
        Leases leases = new Leases(GlobalSettings.commandTimeout(config), errors::add);
        configured.flatMap(BulkheadConfig::expire).ifPresentOrElse(
                expire -> leases.checkConfigured(PropertyNames.of(name, "expire"), expire),
                () -> leases.checkWritten(name, definitions));
        Optional<OnOutage> own = configured.flatMap(BulkheadConfig::onOutage);
        if (own.orElse(config.onOutage()) == OnOutage.LOCAL) {
            LocalLimits.check(name, permits, configured.map(BulkheadConfig::localPermits).orElse(OptionalInt.empty()),
                    config.instances(),
                    own.isPresent() ? PropertyNames.of(name, "on-outage") : PropertyNames.PREFIX + "on-outage",
                    errors::add);
        }
    }

    private <T> void set(String name, String member, T value, Consumer<T> setter) {
        errors.set(PropertyNames.of(name, member), value, setter);
    }
}
