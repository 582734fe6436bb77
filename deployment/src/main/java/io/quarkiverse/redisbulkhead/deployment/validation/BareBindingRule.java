package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The interceptor binding is not for applications: it names no bulkhead. */
final class BareBindingRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() == null) {
                mistakes.accept(new Mistake(MessageCode.RBH013, guard.place(),
                        "@RedisBulkheadBinding names no bulkhead and is not for use by applications. Use @RedisBulkhead"));
            }
        }
    }
}
