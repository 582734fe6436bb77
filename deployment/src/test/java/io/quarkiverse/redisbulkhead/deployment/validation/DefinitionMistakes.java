package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/** One mistake of each rule; {@code MistakesTest} of the runtime shows what each rule reports. */
final class DefinitionMistakes {

    static final Mistakes ALL = new Mistakes(DefinitionMistakes.class, new Class<?>[] { Runs.class },
            "RBH007 @RedisBulkhead(name = \"overrun\"): has different values: permits=5 at Runs#daily; permits=6 at"
                    + " Runs#weekly. State each value in one place, or the same one everywhere, or use different names",
            "RBH001 Runs#daily: @RedisBulkhead(name = \"\"): name must not be blank, but is ''",
            "RBH003 Runs#daily: @RedisBulkhead(name = \"soon\"): expire must be a duration such as 30s, 500ms or PT30S, but is"
                    + " 'soon'",
            "RBH006 Runs#daily: @RedisBulkhead(name = \"limitless\"): permits is not set. Set it in the annotation, or set"
                    + " quarkus.redis-bulkhead.\"limitless\".permits",
            "RBH023 Runs#daily: @RedisBulkhead(name = \"brief\"): expire is PT1S, shorter than three times"
                    + " quarkus.redis-bulkhead.command-timeout, which is PT1S. A lease is renewed after a third of its length,"
                    + " so one slow reply could lose the permit. Make it at least PT3S, or reduce command-timeout",
            "RBH009 Runs#twice: @RedisBulkhead(name = \"twice\") is present more than once, so each call would take several"
                    + " permits of one bulkhead. Keep one of them, or use different names",
            "RBH005 quarkus.redis-bulkhead.\"overrun\".permits: permits must be at least 1, but is -1",
            "RBH025 quarkus.redis-bulkhead.overruns.permits: no @RedisBulkhead has the name \"overruns\". Did you mean"
                    + " \"overrun\"? Declared: overrun and others. Nor does any class of the application use SemaphoreSpec to"
                    + " define bulkheads in code");

    @ApplicationScoped
    static class Runs {
        @RedisBulkhead(name = "overrun", permits = 5)
        @RedisBulkhead(name = "", permits = 1)
        @RedisBulkhead(name = "limitless")
        @RedisBulkhead(name = "soon", permits = 1, expire = "soon")
        @RedisBulkhead(name = "brief", permits = 1, expire = "1s")
        void daily() {
        }

        @RedisBulkhead(name = "overrun", permits = 6)
        void weekly() {
        }

        @RedisBulkhead(name = "twice", permits = 1)
        @RedisBulkhead(name = "twice", permits = 1)
        void twice() {
        }
    }
}
