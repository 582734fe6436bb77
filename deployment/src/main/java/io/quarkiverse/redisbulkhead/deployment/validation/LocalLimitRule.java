package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.validation.ConfiguredValues.Value;
import io.quarkiverse.redisbulkhead.runtime.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.definition.LocalLimits;

/** The limits that processes keep for themselves during an outage must be of use, as far as all numbers are known. */
final class LocalLimitRule implements Rule {

    private final ConfiguredValues configured;
    private final StoreKind store;

    LocalLimitRule(ConfiguredValues configured, StoreKind store) {
        this.configured = configured;
        this.store = store;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        if (store.needsRedis()) {
            Definitions definitions = configured.definitions(usage);
            definitions.byName().keySet().stream().filter(bulkhead -> !configured.isSwitchedOff(bulkhead))
                    .forEach(bulkhead -> check(bulkhead, definitions.permits(bulkhead), mistakes));
        }
    }

    private void check(String bulkhead, OptionalInt written, Consumer<Mistake> mistakes) {
        Optional<Value> onOutage = configured.of(bulkhead, "on-outage").or(() -> configured.global("on-outage"));
        if (onOutage.isEmpty() || !onOutage.get().as(text -> ChoiceText.is(OnOutage.LOCAL, text)).orElse(false)) {
            return;
        }
        KnownCount permits = KnownCount.of(configured.of(bulkhead, "permits"), written);
        KnownCount local = KnownCount.of(configured.of(bulkhead, "local-permits"), OptionalInt.empty());
        KnownCount instances = KnownCount.of(configured.global("instances"), OptionalInt.of(1));
        if (permits.isStated() && local.known() && instances.isStated()) {
            LocalLimits.check(bulkhead, permits.value().getAsInt(), local.value(), instances.value().getAsInt(),
                    onOutage.get().property(), Mistake.to(mistakes));
        }
    }
}
