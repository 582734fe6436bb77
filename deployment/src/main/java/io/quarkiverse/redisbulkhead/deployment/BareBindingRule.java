package io.quarkiverse.redisbulkhead.deployment;

import java.util.function.Consumer;

/** The interceptor binding is not for applications: it names no bulkhead. */
final class BareBindingRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (Guard guard : usage.guards()) {
            if (guard.source() == null) {
                mistakes.accept(new Mistake(guard.place(),
                        "@RedisBulkheadBinding names no bulkhead and is not for use by applications. Use @RedisBulkhead"));
            }
        }
    }
}
