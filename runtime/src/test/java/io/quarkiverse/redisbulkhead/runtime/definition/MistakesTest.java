package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** What the build reports about definitions. It does not know yet what <code>${later}</code> will be. */
class MistakesTest {

    private static final int UNSET = RedisBulkhead.PERMITS_UNSET;
    private static final String OPEN_QUOTE = "there is no such property, because a quotation mark has no partner. Close the"
            + " quotes around the name, as in quarkus.redis-bulkhead.\"name\".permits";

    private final List<BulkheadDeclaration> annotations = new ArrayList<>();
    private DefinedInCode inCode = DefinedInCode.NONE;
    private final Map<String, String> properties = new HashMap<>();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
            "RBH002 | a | 0  |           | | permits must be at least 1, but is 0",
            "RBH002 | a | -3 |           | | permits must be at least 1, but is -3",
            "RBH003 | a | 1  | soon      | | expire must be a duration such as 30s, 500ms or PT30S, but is 'soon'",
            "RBH003 | a | 1  | 366d      | | expire must not be longer than 365 days, but is PT8784H",
            "RBH003 | a | 1  | 0s        | | expire must be at least one millisecond, but is PT0S",
            "RBH003 | a | 1  | PT-1S     | | expire must be at least one millisecond, but is PT-1S",
            "RBH004 | a | 1  |           | a while | maxWait must be a duration such as 30s, 500ms or PT30S, but is 'a while'",
            "RBH004 | a | 1  |           | ## | maxWait must be a duration such as 30s, 500ms or PT30S, but is ''",
            "RBH004 | a | 1  |           | 366d | maxWait must not be longer than 365 days, but is PT8784H",
            "RBH004 | a | 1  |           | PT-1S | maxWait must not be negative, but is PT-1S",
            "RBH001 | # # | 1 |          | | name must not be blank, but is ' '",
            "RBH001 | lock:orders | 1 |  | | name must not begin with 'lock:', which is reserved for locks, but is"
                    + " 'lock:orders'. Use another name, or RedisBulkheads.lock(\"orders\") for a lock",
            "RBH001 | ${app.lock} | 1 |  | | ${app.lock} is \"lock:x\": name must not begin with 'lock:', which is"
                    + " reserved for locks, but is 'lock:x'. Use another name, or RedisBulkheads.lock(\"x\") for a lock",
            "RBH003 | a | 1  | ${app.lock} | | ${app.lock} is \"lock:x\": expire must be a duration such as 30s, 500ms or"
                    + " PT30S, but is 'lock:x'",
            "RBH004 | a | 1  |           | ${no:soon} | ${no:soon} is \"soon\": maxWait must be a duration such as 30s, 500ms or"
                    + " PT30S, but is 'soon'" })
    void valuesOfAnnotations(String code, String name, int permits, String expire, String maxWait, String text) {
        properties.put("app.lock", "lock:x");
        annotations.add(Annotated.bulkhead("Reports#render", name, permits, 1, null, expire, maxWait));

        assertMistakes(code + " Reports#render: @RedisBulkhead(name = \"" + name + "\"): " + text);
    }

    @Test
    void validValuesAndThoseThatAreKnownLater() {
        for (String wait : List.of("0s", "0", "PT0S", "365d", "${later}")) {
            annotations.add(Annotated.bulkhead("Reports#" + wait, "wait " + wait, 1, 1, null, "${later}", wait));
        }
        annotate("${later}", UNSET);
        annotate("${app.region}-limitless", UNSET);
        annotate("later", UNSET);
        properties.put("app.region", "eu");
        configure("later.permits", "${later}");
        configure("later.on-lost", "${later}");
        configure("later.weight", "3");
        configure("later.on-outage", "local");
        configure("later.expire", "${later}");
        configure("later.min-hold", "1m");
        configure("metrics.names", "later,${later}");
        configure("metrics.cluster-interval", "0s");
        configure("rest.status", "599");
        configure("max-blocked-threads", "0");

        assertMistakes();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "of.sales | permits       | 0         | permits must be at least 1, but is 0",
            "of.sales | enabled       | sometimes | enabled must be true or false, but is 'sometimes'",
            "of.sales | expire        | 0s        | expire must be at least one millisecond, but is PT0S",
            "of.sales | max-wait      | PT-1S     | maxWait must not be negative, but is PT-1S",
            "of.sales | max-hold      | 0s        | maxHold must be at least one millisecond, but is PT0S",
            "of.sales | warn-after    | -1s       | warnAfter must be from zero to 365 days, but is PT-1S",
            "of.sales | local-permits | some      | localPermits must be a whole number up to 2147483647, but is 'some'",
            "of.sales | max-waiters   | -1        | maxWaiters must be at least 0, but is -1",
            "of.sales | on-lost       | cry       | onLost must be report or interrupt, but is 'cry'",
            "of.sales | weight        | 1.5       | weight must be a whole number up to 2147483647, but is '1.5'",
            "of.sales | permits       | 2147483648 | permits must be a whole number up to 2147483647, but is '2147483648'",
            "of.sales | expire        | 99999999999999999999d | expire must be a duration such as 30s, 500ms or PT30S, but is '99999999999999999999d'",
            "of.sales | rest.retry-after | 10ms   | retryAfter must be none, or a duration from one second to 365 days such as 5s, 2m or PT5S, but is '10ms'",
            "of.sales | on-outage     | wait      | onOutage must be reject, allow or local, but is 'wait'",
            "lock.x.y | fair          | perhaps   | fair must be true or false, but is 'perhaps'",
            "lock.x.y | acquire-timeout | PT-1S   | acquireTimeout must not be negative, but is PT-1S",
            "lock.x.y | lock-timeout  | 0s        | lockTimeout must be at least one millisecond, but is PT0S",
            "lock.x.y | keep-idle     | -1s       | keepIdle must not be negative, but is PT-1S",
            "lock.x.y | warn-after    | 366d      | warnAfter must be from zero to 365 days, but is PT8784H",
            "lock.x.y | min-hold      | -1s       | minHold must not be negative, but is PT-1S" })
    void configuredValuesOfOneName(String name, String member, String value, String text) {
        annotate("of.sales", 1);
        String property = name.startsWith("lock.") ? "lock.\"x.y\"." + member : "\"" + name + "\"." + member;
        configure(property, value);

        assertMistakes("RBH005 quarkus.redis-bulkhead." + property + ": " + text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "warn-after                    | -1s    | warnAfter must be from zero to 365 days, but is PT-1S",
            "record-places                 | maybe  | recordPlaces must be true or false, but is 'maybe'",
            "instances                     | 0      | instances must be at least 1, but is 0",
            "keep-idle                     | 366d   | keepIdle must not be longer than 365 days, but is PT8784H",
            "key-prefix                    | a{b}   | keyPrefix must consist of ASCII letters, digits and punctuation other than braces, quotation marks and backslashes, but is 'a{b}'",
            "key-prefix                    | a b    | keyPrefix must consist of ASCII letters, digits and punctuation other than braces, quotation marks and backslashes, but is 'a b'",
            "command-timeout               | 2h     | commandTimeout must be from one millisecond to one hour, but is PT2H",
            "lock-store.step-timeout       | 10ms   | stepTimeout must be from 50 milliseconds to one minute, but is PT0.01S",
            "lock-store.contention-timeout | long   | contentionTimeout must be a duration such as 30s, 500ms or PT30S, but is 'long'",
            "lock-store.contention-timeout | 1s     | contentionTimeout must be longer than quarkus.redis-bulkhead.lock-store.step-timeout, which is PT1S, but is PT1S",
            "lock.lock-timeout             | 366d   | lockTimeout must not be longer than 365 days, but is PT8784H",
            "max-blocked-threads           | half   | maxBlockedThreads must be a whole number up to 2147483647, but is 'half'",
            "metrics.cluster-interval      | 5ms    | clusterInterval must be zero or from 100 milliseconds to one day, but is PT0.005S",
            "metrics.names                 | a,lock: | name must not be blank, but is ''",
            "metrics.key-tag               | maybe  | keyTag must be true or false, but is 'maybe'",
            "on-outage                     | panic  | onOutage must be reject, allow or local, but is 'panic'",
            "rest.status                   | 600    | status must be an HTTP error status from 400 to 599, but is 600",
            "rest.status                   | 200    | status must be an HTTP error status from 400 to 599, but is 200" })
    void configuredValuesForAll(String member, String value, String text) {
        annotate("a", 1);
        configure(member, value);

        assertMistakes("RBH005 quarkus.redis-bulkhead." + member + ": " + text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
            "RBH025 | \"archive-2024\".permits | no @RedisBulkhead has the name \"archive-2024\". Declared: reports, of.sales. Nor"
                    + " does any class of the application use SemaphoreSpec to define bulkheads in code",
            "RBH025 | report.permits | no @RedisBulkhead has the name \"report\". Did you mean \"reports\"? Declared: reports,"
                    + " of.sales. Nor does any class of the application use SemaphoreSpec to define bulkheads in code",
            "RBH025 | rst.status | no @RedisBulkhead has the name \"rst\". Did you mean \"rest\"? Declared: reports,"
                    + " of.sales. Nor does any class of the application use SemaphoreSpec to define bulkheads in code",
            "RBH025 | instance.fair | no @RedisBulkhead has the name \"instance\". Declared: of.sales, reports. Nor does any"
                    + " class of the application use SemaphoreSpec to define bulkheads in code",
            "RBH025 | of.sales.fair | a bulkhead name that contains a dot must be quoted: quarkus.redis-bulkhead.\"of.sales\".*",
            "RBH028 | \"reports\".permitz | there is no such property. Did you mean quarkus.redis-bulkhead.\"reports\".permits?",
            "RBH028 | command-timout | there is no such property. Did you mean quarkus.redis-bulkhead.command-timeout?",
            "RBH028 | rest.state | there is no such property. Did you mean quarkus.redis-bulkhead.rest.status?",
            "RBH028 | lock.\"of.orders\".fairness | there is no such property. Available: acquire-timeout, fair, keep-idle,"
                    + " lock-timeout, min-hold, warn-after",
            "RBH028 | \"reports.permits | " + OPEN_QUOTE,
            "RBH028 | of.sales\".permits | " + OPEN_QUOTE,
            "RBH028 | lock.\"of.orders.fair | " + OPEN_QUOTE })
    void names(String code, String property, String text) {
        annotate("reports", 1);
        annotate("of.sales", 1);
        configure(property, "3");
        configure("unset.permits", "");
        configure("reports", " ");

        assertMistakes(code + " quarkus.redis-bulkhead." + property + ": " + text);
    }

    @Test
    void reservedNames() {
        annotate("lock", 1);
        annotate("lockers", 1);

        assertMistakes("RBH008 Reports#lock: @RedisBulkhead(name = \"lock\") cannot be configured, because"
                + " quarkus.redis-bulkhead.lock is a property of the extension. Use another name, such as \"lock-calls\"");
    }

    @Test
    void oneBulkheadTwiceOnOneMethod() {
        properties.put("app.region", "eu");
        for (String name : List.of("${app.region}-twice", "eu-twice", "once")) {
            annotations.add(Annotated.bulkhead("Reports#twice", name, 1, 1, null, null, null));
        }

        assertMistakes("RBH009 Reports#twice: @RedisBulkhead(name = \"eu-twice\") is present more than once, as"
                + " \"${app.region}-twice\" and \"eu-twice\", so each call would take several permits of one bulkhead. Keep one of"
                + " them, or use different names");
    }

    @Test
    void missingPermits() {
        annotate("a \"quoted\" one", UNSET);

        assertMistakes(
                "RBH006 Reports#a \"quoted\" one: @RedisBulkhead(name = \"a \"quoted\" one\"): permits is not set. Set it"
                        + " in the annotation, or set quarkus.redis-bulkhead.\"a \\\"quoted\\\" one\".permits");
    }

    /** Code could define it at any time. */
    @Test
    void permitsInCodeAreKnownTooLate() {
        annotate("reports", UNSET);
        inCode = new DefinedInCode(true, List.of("reports"));

        assertMistakes(
                "RBH006 Reports#reports: @RedisBulkhead(name = \"reports\"): permits is not set. Set it in the annotation,"
                        + " or set quarkus.redis-bulkhead.\"reports\".permits. The permits of a SemaphoreSpec in code are known too late,"
                        + " when calls may have come already. Code gets this bulkhead with semaphore(\"reports\")");
    }

    @Test
    void weights() {
        weighing("above", 2, 3);
        weighing("none", 2, 0);
        weighing("lowered", 9, 5);
        weighing("corrected", 2, 3);
        configure("lowered.permits", "4");
        configure("corrected.weight", "2");
        annotate("raised", 5);
        configure("raised.weight", "6");

        String text = "weight must not be more than the permits of bulkhead ";
        String advice = ". Lower the weight, or raise the permits";
        assertMistakes(
                "RBH030 Reports#above: @RedisBulkhead(name = \"above\"): " + text + "'above', which are 2, but is 3" + advice,
                "RBH030 Reports#lowered: @RedisBulkhead(name = \"lowered\"): " + text + "'lowered', which are 4, but is 5"
                        + advice,
                "RBH030 Reports#none: @RedisBulkhead(name = \"none\"): weight must be at least 1, but is 0",
                "RBH030 quarkus.redis-bulkhead.raised.weight: " + text + "'raised', which are 5, but is 6" + advice);
    }

    private void weighing(String name, int permits, int weight) {
        annotations.add(Annotated.bulkhead("Reports#" + name, name, permits, weight, null, null, null));
    }

    @Test
    void leasesTooShortForRedis() {
        for (String name : List.of("brief", "mended", "off")) {
            annotations.add(Annotated.bulkhead("Reports#" + name, name, 1, 1, null, "5999ms", null));
        }
        annotate("configured", 1);
        configure("command-timeout", "2s");
        configure("configured.expire", "3s");
        configure("mended.expire", "6s");
        configure("off.enabled", "false");
        configure("lock.lock-timeout", "4s");
        configure("lock.orders.lock-timeout", "1s");

        String text = ", shorter than three times quarkus.redis-bulkhead.command-timeout, which is PT2S. A lease is renewed after"
                + " a third of its length, so one slow reply could lose the permit. Make it at least PT6S, or reduce command-timeout";
        assertMistakes("RBH023 Reports#brief: @RedisBulkhead(name = \"brief\"): expire is PT5.999S" + text,
                "RBH023 quarkus.redis-bulkhead.configured.expire: expire is PT3S" + text,
                "RBH023 quarkus.redis-bulkhead.lock.lock-timeout: lock-timeout is PT4S" + text,
                "RBH023 quarkus.redis-bulkhead.lock.orders.lock-timeout: lock-timeout is PT1S" + text);
    }

    @Test
    void defaultLeaseIsTooShortForASlowRedis() {
        annotate("reports", 1);
        configure("command-timeout", "11s");

        assertMistakes("RBH023 Reports#reports: @RedisBulkhead(name = \"reports\"): expire is PT30S, shorter than three times"
                + " quarkus.redis-bulkhead.command-timeout, which is PT11S. A lease is renewed after a third of its length, so one"
                + " slow reply could lose the permit. Make it at least PT33S, or reduce command-timeout");
    }

    @Test
    void minHoldOfALockMayFitALeaseThatIsNotKnownYet() {
        configure("lock.jobs.lock-timeout", "${later}");
        configure("lock.jobs.min-hold", "1m");

        assertMistakes();
    }

    @Test
    void uselessLocalLimits() {
        annotate("few", 2);
        annotate("greater", 5);
        annotate("stated", 2);
        annotate("rejecting", 2);
        configure("on-outage", "local");
        configure("instances", "4");
        configure("greater.local-permits", "6");
        configure("stated.local-permits", "1");
        configure("rejecting.on-outage", "reject");
        configure("rejecting.local-permits", "6");
        configure("few.on-outage", "local");
        annotate("follows-reject", 2);

        assertMistakes(
                "RBH024 quarkus.redis-bulkhead.greater.local-permits: localPermits must not be more than the permits of the"
                        + " bulkhead, which are 5, but is 6",
                "RBH024 quarkus.redis-bulkhead.few.on-outage: local gives each of 4 instances (quarkus.redis-bulkhead.instances) its"
                        + " share of the permits of bulkhead 'few', which are only 2. With one permit each, they would exceed"
                        + " the limit. Set quarkus.redis-bulkhead.\"few\".local-permits if that is what you want, set fewer"
                        + " instances, or use reject");
    }

    @Test
    void minimumHoldsLongerThanTheLease() {
        annotate("bounded", 1);
        annotate("configured", 1);
        annotations.add(Annotated.bulkhead("Reports#written", "written", 1, 1, null, "10s", null));
        configure("bounded.min-hold", "25s");
        configure("bounded.max-hold", "20s");
        configure("configured.min-hold", "41s");
        configure("configured.expire", "40s");
        configure("written.min-hold", "11s");
        configure("lock.archive.min-hold", "31s");
        configure("lock.fine.min-hold", "30s");

        assertMistakes(minHold("bounded", "maxHold", "20", "25"), minHold("configured", "expire", "40", "41"),
                minHold("lock.archive", "lockTimeout", "30", "31"), minHold("written", "expire", "10", "11"));
    }

    private static String minHold(String name, String bound, String most, String hold) {
        return "RBH031 quarkus.redis-bulkhead." + name + ".min-hold: minHold must not be longer than " + bound + ", which is PT"
                + most + "S, but is PT" + hold + "S. Make it shorter, or " + bound + " longer";
    }

    private void annotate(String name, int permits) {
        annotations.add(Annotated.bulkhead("Reports#" + name, name, permits, 1, null, null, null));
    }

    private void configure(String property, String value) {
        properties.put("quarkus.redis-bulkhead." + property, value);
    }

    private void assertMistakes(String... expected) {
        ValidationErrors errors = new ValidationErrors();
        new EffectiveDefinitions(new Declarations(annotations, List.of(), List.of(), inCode),
                new SmallRyeConfigBuilder().addDefaultInterceptors()
                        .withSources(new PropertiesConfigSource(properties, "test", 100)).build(),
                true, true, errors);
        assertThat(errors.all()).extracting(Object::toString).containsExactlyInAnyOrder(expected);
    }
}
