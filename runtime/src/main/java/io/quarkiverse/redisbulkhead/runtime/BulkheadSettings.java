package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;

/**
 * What is in force after the configuration has been laid over the annotations.
 */
final class BulkheadSettings {

    private static final Logger LOG = Logger.getLogger(BulkheadSettings.class);

    // Groups of the configuration, which look like bulkheads from here when one of their properties is misspelt, or is for the build.
    private static final Set<String> NOT_BULKHEADS = Set.of("devservices", "lock", "lock-store", "rest");

    /**
     * One bulkhead.
     *
     * @param spec its definition
     * @param enabled whether it limits anything
     */
    record Setting(SemaphoreSpec spec, boolean enabled) {
    }

    private final ConfigurationErrors errors;
    private final Map<String, Setting> settings = new TreeMap<>();

    private BulkheadSettings(ConfigurationErrors errors) {
        this.errors = errors;
    }

    /**
     * Applies the configuration.
     *
     * @param errors takes what is wrong with it
     * @return by name, in alphabetical order, without those that are wrong
     */
    static Map<String, Setting> of(List<BulkheadDeclaration> declarations, RedisBulkheadRuntimeConfig config,
            ConfigurationErrors errors) {
        BulkheadSettings settings = new BulkheadSettings(errors);
        declarations.forEach(declaration -> settings.add(declaration, config));
        warnOfUnknownNames(declarations, config);
        return settings.settings;
    }

    // Only a warning: applications may share one configuration.
    private static void warnOfUnknownNames(List<BulkheadDeclaration> declarations, RedisBulkheadRuntimeConfig config) {
        Set<String> unknown = new TreeSet<>(config.bulkheads().keySet());
        unknown.removeAll(NOT_BULKHEADS);
        declarations.forEach(declaration -> unknown.remove(declaration.name()));
        unknown.forEach(name -> LOG.warnf("%s* is configured, but no @RedisBulkhead has that name; declared are: %s",
                PropertyNames.of(name, ""), declarations.stream().map(BulkheadDeclaration::name).sorted().toList()));
    }

    private void add(BulkheadDeclaration declaration, RedisBulkheadRuntimeConfig config) {
        String name = declaration.name();
        Optional<BulkheadConfig> configured = Optional.ofNullable(config.bulkheads().get(name));
        int before = errors.size();
        SemaphoreSpec.Builder spec = SemaphoreSpec.named(name).fair(declaration.fair()).expire(declaration.expire())
                .maxWait(declaration.maxWait()).onOutage(config.onOutage());

        int permits = declaration.permits();
        if (configured.isPresent() && configured.get().permits().isPresent()) {
            permits = configured.get().permits().getAsInt();
        }
        if (permits == RedisBulkhead.PERMITS_UNSET) {
            errors.add(PropertyNames.of(name, "permits") + " is not set, and neither does @RedisBulkhead on "
                    + String.join(", ", declaration.places()) + " state permits");
        } else {
            set(name, "permits", permits, spec::permits);
            spec.localPermits(Math.max(1, permits / Math.max(1, config.instances())));
        }
        configured.flatMap(BulkheadConfig::fair).ifPresent(spec::fair);
        configured.flatMap(BulkheadConfig::expire).ifPresent(expire -> set(name, "expire", expire, spec::expire));
        configured.flatMap(BulkheadConfig::maxWait).ifPresent(wait -> set(name, "max-wait", wait, spec::maxWait));
        configured.flatMap(BulkheadConfig::maxHold).ifPresent(hold -> set(name, "max-hold", hold, spec::maxHold));
        configured.flatMap(BulkheadConfig::onLost).ifPresent(spec::onLost);
        configured.flatMap(BulkheadConfig::onOutage).ifPresent(spec::onOutage);
        configured.map(BulkheadConfig::localPermits).ifPresent(
                own -> own.ifPresent(local -> set(name, "local-permits", local, spec::localPermits)));

        if (errors.size() == before) {
            boolean enabled = config.enabled() && configured.flatMap(BulkheadConfig::enabled).orElse(true);
            settings.put(name, new Setting(spec.build(), enabled));
        }
    }

    private <T> void set(String name, String member, T value, Consumer<T> setter) {
        errors.set(PropertyNames.of(name, member), value, setter);
    }
}
