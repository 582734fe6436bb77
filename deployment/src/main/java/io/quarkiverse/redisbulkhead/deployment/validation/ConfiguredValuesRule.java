package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.GlobalValues;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Each value that the configuration holds when the application is built must be valid. */
final class ConfiguredValuesRule implements Rule {

    // What the converter takes for a truth value; it reads everything else as false.
    private static final Set<String> TRUTH_VALUES = Set.of("true", "false", "yes", "no", "y", "n", "on", "off", "1", "0");

    private static final Map<String, Consumer<String>> OF_ONE_BULKHEAD = Map.ofEntries(
            Map.entry("enabled", text -> checkTruth("enabled", text)),
            Map.entry("permits", text -> CountText.parse("permits", text)),
            Map.entry("weight", text -> SemaphoreSpec.named("any").weight(CountText.parse("weight", text))),
            Map.entry("fair", text -> checkTruth("fair", text)),
            Map.entry("expire", DurationText.EXPIRE::parse),
            Map.entry("max-wait", DurationText.MAX_WAIT::parse),
            Map.entry("max-hold", DurationText.MAX_HOLD::parse),
            Map.entry("min-hold", DurationText.MIN_HOLD::parse),
            Map.entry("on-lost", text -> ChoiceText.check("onLost", text, OnLost.class)),
            Map.entry("on-outage", text -> ChoiceText.check("onOutage", text, OnOutage.class)),
            Map.entry("local-permits", text -> CountText.parse("localPermits", text)),
            Map.entry("max-waiters", text -> CountText.parseFromZero("maxWaiters", text)),
            Map.entry("await-release", text -> checkTruth("awaitRelease", text)));

    private static final Map<String, Consumer<String>> GLOBAL = Map.ofEntries(
            Map.entry("enabled", text -> checkTruth("enabled", text)),
            Map.entry("key-prefix", GlobalValues::checkKeyPrefix),
            Map.entry("on-outage", text -> ChoiceText.check("onOutage", text, OnOutage.class)),
            Map.entry("await-release", text -> checkTruth("awaitRelease", text)),
            Map.entry("command-timeout", DurationText.COMMAND_TIMEOUT::parse),
            Map.entry("instances", text -> CountText.parse("instances", text)),
            Map.entry("max-blocked-threads", text -> CountText.parseFromZero("maxBlockedThreads", text)),
            Map.entry("rest.status", text -> GlobalValues.checkStatus(CountText.parse("status", text))),
            Map.entry("metrics.cluster-interval", DurationText.CLUSTER_INTERVAL::parse),
            Map.entry("metrics.key-tag", text -> checkTruth("keyTag", text)),
            Map.entry("tracing.key-attribute", text -> checkTruth("keyAttribute", text)),
            Map.entry("lock-store.step-timeout", DurationText.STEP_TIMEOUT::parse),
            Map.entry("lock-store.contention-timeout", DurationText.CONTENTION_TIMEOUT::parse));

    private static final Map<String, Consumer<String>> OF_LOCKS = Map.of(
            "acquire-timeout", DurationText.ACQUIRE_TIMEOUT::parse,
            "lock-timeout", DurationText.LOCK_TIMEOUT::parse,
            "min-hold", DurationText.MIN_HOLD::parse,
            "fair", text -> checkTruth("fair", text));

    private final ConfiguredValues configured;

    ConfiguredValuesRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    /** Whether this property of a bulkhead is looked at. */
    static boolean isChecked(String member) {
        return OF_ONE_BULKHEAD.containsKey(member);
    }

    /** Whether this property of all bulkheads is looked at. */
    static boolean isCheckedForAll(String property) {
        return GLOBAL.containsKey(property);
    }

    /** Whether this property of a lock is looked at. */
    static boolean isCheckedForLocks(String member) {
        return OF_LOCKS.containsKey(member);
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        GLOBAL.forEach((property, reader) -> configured.global(property).ifPresent(value -> check(value, reader, mistakes)));
        OF_LOCKS.forEach((member, reader) -> configured.ofLocks(member).forEach(value -> check(value, reader, mistakes)));
        for (String bulkhead : configured.definitions(usage).byName().keySet()) {
            OF_ONE_BULKHEAD.forEach((member, reader) -> configured.of(bulkhead, member)
                    .ifPresent(value -> check(value, reader, mistakes)));
        }
    }

    private static void check(ConfiguredValues.Value value, Consumer<String> reader, Consumer<Mistake> mistakes) {
        value.text().ifPresent(text -> {
            try {
                reader.accept(text);
            } catch (IllegalArgumentException e) {
                mistakes.accept(new Mistake(MessageCode.RBH005, value.property(), e.getMessage()));
            }
        });
    }

    private static void checkTruth(String member, String text) {
        if (!TRUTH_VALUES.contains(text.trim().toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(member + " must be true or false, but is '" + text + "'");
        }
    }
}
