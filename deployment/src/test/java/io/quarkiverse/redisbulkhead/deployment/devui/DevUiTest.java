package io.quarkiverse.redisbulkhead.deployment.devui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.assertj.core.data.Offset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;

import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusDevModeTest;

/** The pages of the Dev UI in a real browser, and the tools of Dev MCP, with one start of the application. */
class DevUiTest {

    static final KillableRedis REDIS = new KillableRedis("dev-ui-test");
    static {
        REDIS.start();
    }

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest().withApplicationRoot(jar -> jar
            .addClass(DemoApplication.class).addClasses(DemoApplication.class.getDeclaredClasses())
            .addClass(HostileApplication.class).addClasses(HostileApplication.class.getDeclaredClasses())
            .addClass(OtherInstance.class)
            .addAsResource(new StringAsset("""
                    quarkus.application.name=shop
                    quarkus.http.port=%d
                    quarkus.redis.hosts=%s
                    quarkus.redis-bulkhead."partner-api".permits=4
                    quarkus.redis-bulkhead."partner-api".weight=2
                    quarkus.redis-bulkhead."partner-api".max-waiters=20
                    """.formatted(Demo.PORT, REDIS.address())), "application.properties"));

    static final String PREFIX = "quarkus-redis-bulkhead_";

    static final String LIST = "vaadin-grid.overview";
    static final String FILTER = ".toolbar vaadin-text-field input";
    static final int ASSERTION_MILLIS = 60_000;

    static Chromium chromium;
    static Page page;

    final Demo demo = new Demo();

    // The application would be restarted for each test method.
    @TestFactory
    Stream<DynamicTest> pagesAndTools() {
        return Stream.of(
                test("tools that read are on and those that change are off", this::onlyReadToolsAreEnabled),
                test("tools tell who holds what", this::toolsListHolders),
                test("the card counts the bulkheads", this::theCardCountsTheBulkheads),
                test("a holder appears and goes", this::aHolderAppearsAndGoes),
                test("a waiter appears", this::aWaiterAppears),
                test("a revoke ends the permit and the victim is told", this::revokesAPermitAndNotifiesItsHolder),
                test("resizes and resets", this::resizesAndResets),
                test("limits that differ are shown", this::showsDifferingLimits),
                test("keys are text and not markup", this::escapesKeys),
                test("keys open and close by keyboard", this::keysOpenAndCloseByKeyboard),
                test("rows stay under the pointer", this::rowsStayUnderThePointer),
                test("blank keys are visible", this::blankKeysAreVisible),
                test("weights are shown and summed up, and bounds are shown", this::weightsAndBoundsAreShown),
                test("bulkheads of other applications are told from those in code",
                        this::distinguishesBulkheadsOfOtherApplications),
                test("idle permits are shown", this::showsIdlePermits),
                test("a permit that code drops is marked", this::marksLeakedPermits),
                test("an instance that does not answer is shown with its share", this::showsSilentInstances),
                test("a thousand holders stay usable", this::aThousandHoldersStayUsable),
                test("two pages are live concurrently, and the height of the list is remembered", this::twoPagesAreLiveAtOnce),
                test("redis away is shown and ends", this::showsOutageAndRecovery),
                test("nothing that others write is markup", this::escapesDataOfOtherApplications),
                test("tells where values come from", this::showsTheSourcesOfValues));
    }

    private DynamicTest test(String name, Executable body) {
        return DynamicTest.dynamicTest(name, () -> {
            try {
                body.execute();
            } finally {
                demo.end();
                if (page != null) {
                    // A dialog that a failed test leaves open would fail the next ones.
                    page.keyboard().press("Escape");
                    filter("");
                }
            }
        });
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
        REDIS.stop();
    }

    private void onlyReadToolsAreEnabled() {
        demo.post("mcp");
        JsonNode tools = demo.mcp("tools/list", "{}").get("result").get("tools");
        Set<String> on = new TreeSet<>();
        tools.forEach(tool -> {
            if (tool.get("name").asText().startsWith(PREFIX)) {
                on.add(tool.get("name").asText().substring(PREFIX.length()));
                assertThat(tool.get("description").asText()).isNotBlank();
                tool.get("inputSchema").get("properties")
                        .forEach(parameter -> assertThat(parameter.path("description").asText()).isNotBlank());
            }
        });
        assertThat(on).containsExactly("bulkheads", "definitions", "holders", "waiters");

        for (String changing : Set.of("revoke", "resize", "resetSize")) {
            JsonNode answer = demo.mcp("tools/call", "{\"name\":\"" + PREFIX + changing
                    + "\",\"arguments\":{\"bulkhead\":\"reports\",\"key\":\"\",\"permits\":7,\"permitId\":\"x\"}}");
            assertThat(answer.get("error").get("message").asText()).as(changing).contains("not enabled");
        }
    }

    private void toolsListHolders() {
        demo.post("mcp");
        demo.begin("reports");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> tool("holders", "{\"bulkhead\":\"reports\",\"key\":\"\"}").get("holders").size() == 1);
        assertThat(tool("waiters", "{\"bulkhead\":\"reports\",\"key\":\"\"}").get("waiters")).isEmpty();
        assertThat(named(tool("bulkheads", "{}"), "reports").get("limits").get(0).get("limit").asInt()).isEqualTo(5);
        JsonNode permits = named(tool("definitions", "{}"), "partner-api").get("values").get(0);
        assertThat(permits.get("where").asText()).isEqualTo("quarkus.redis-bulkhead.\"partner-api\".permits");
    }

    private void aHolderAppearsAndGoes() {
        holders();
        title("reports").click();
        assertThat(page.getByText("No permit is held")).isVisible();

        CompletableFuture<String> call = demo.begin("reports");
        assertThat(occupants().getByText("Reports#render")).isVisible();
        assertThat(call).as("the request still runs").isNotDone();
        assertThat(row("reports", "1 of 5")).isVisible();

        demo.end();
        assertThat(call.join()).isEqualTo("held");
        assertThat(occupants().getByText("Reports#render")).isHidden();
        assertThat(row("reports", "0 of 5")).isVisible();
    }

    private void aWaiterAppears() {
        holders();
        title("reports").click();
        for (int i = 0; i < 5; i++) {
            demo.begin("reports");
        }
        assertThat(row("reports", "5 of 5")).isVisible();
        // The content of a cell is not a descendant of its row.
        Locator use = visible(page.locator(LIST + " .bar[aria-label='5 of 5 permits in use'] .fill"));
        assertThat(use).hasClass("fill");
        demo.begin("reports");
        demo.begin("reports");

        assertThat(use).hasClass("fill high");
        occupants().getByText("Waiters (2)").click();
        assertThat(occupants().getByText("Waiting for")).isVisible();
        // The grid keeps hidden rows.
        assertThat(visible(occupants().getByText("Reports#render"))).hasCount(2);
        assertThat(occupants().getByText("Kept for")).hasCount(0);
        assertThat(occupants().getByText("Times out in")).isVisible();

        Locator waiting = page.locator(LIST + " .alarming");
        assertThat(waiting).hasCount(0);
        theClockIsAhead(Duration.ofMinutes(9));
        assertThat(waiting).hasText("2");
        assertThat(waiting).hasAttribute("title", "2 calls are about to time out");
        assertThat(use).hasClass("fill alarm");
        theClockIsAhead(Duration.ZERO);
        assertThat(use).hasClass("fill high");
        occupants().getByText("Holders (5)").click();
    }

    private static void theClockIsAhead(Duration time) {
        page.locator("qwc-redis-bulkhead-holders")
                .evaluate("it => { it._live.now = () => Date.now() + " + time.toMillis() + "; }");
    }

    private void distinguishesBulkheadsOfOtherApplications() {
        holders();
        demo.beginElsewhere("invoices", 3);
        demo.take("scans", null, 9, 1);

        assertThat(row("invoices", "not defined here.*1 of 3")).isVisible();
        assertThat(row("scans", "in code.*1 of 9")).isVisible();
        assertThat(row("scans", "not defined here")).hasCount(0);
    }

    private void showsIdlePermits() {
        holders();
        demo.beginElsewhere("invoices", 3);
        title("invoices").click();
        assertThat(row("invoices", "1 of 3")).isVisible();
        assertThat(row("invoices", "idle")).hasCount(0);

        demo.post("elsewhere/end");

        assertThat(row("invoices", "0 of 3, 1 idle")).isVisible();
        assertThat(page.locator("section.details header")).containsText("0 of 3 in use, 1 idle");
        assertThat(occupants().getByText("1 idle permit")).isVisible();
        demo.end();
        assertThat(title("invoices")).isHidden();
    }

    private void marksLeakedPermits() {
        holders();
        demo.post("drop?name=dropped");
        title("dropped").click();

        assertThat(exactly(occupants(), "leaked")).isVisible();
        revoke().click();
        confirm();
        assertThat(row("dropped", "0 of 1")).isVisible();
        assertThat(exactly(occupants(), "leaked")).isHidden();
    }

    private void showsSilentInstances() {
        holders();
        demo.beginElsewhere("letters", 3);
        demo.beginElsewhere("letters", 3);
        title("letters").click();
        assertThat(visible(occupants().getByText("Invoices#send"))).hasCount(2);

        String name = demo.post("elsewhere/kill");

        assertThat(exactly(occupants(), "silent")).isVisible();
        assertThat(occupants().getByText("Holders (1)")).isVisible();
        assertThat(row("letters", "2 of 3")).isVisible();
        assertThat(tool("holders", "{\"bulkhead\":\"letters\"}").findValuesAsText("instance")).containsExactly(name);

        revoke().click();
        confirm();
        assertThat(title("letters")).isHidden();
    }

    private void weightsAndBoundsAreShown() {
        holders();
        demo.take("scans", null, 9, 1);
        title("scans").click();
        assertThat(row("scans", "1 of 9")).isVisible();
        assertThat(occupants().getByText("Held for")).isVisible();
        assertThat(occupants().getByText("Weight")).isHidden();

        demo.post("take?name=scans&limit=9&number=2&weight=3");

        assertThat(row("scans", "7 of 9")).isVisible();
        assertThat(occupants().getByText("Holders (3)")).isVisible();
        assertThat(occupants().getByText("Weight")).isVisible();
        assertThat(occupants().getByText("are listed")).isHidden();

        title("partner-api").click();
        assertThat(page.locator("section.details header")).containsText("weight 2 per call");
        assertThat(page.locator("section.details header")).containsText("at most 20 waiting per instance");
    }

    private void revokesAPermitAndNotifiesItsHolder() {
        holders();
        title("reports").click();
        assertThat(row("reports", "0 of 5")).isVisible();
        CompletableFuture<String> call = demo.begin("reports");
        Locator revoke = revoke();
        String id = revoke.getAttribute("aria-label").replace("Revoke the permit ", "");

        revoke.click();
        assertThat(dialog()).containsText(id);
        assertThat(dialog().locator("vaadin-button[slot=cancel-button]")).isFocused();
        page.keyboard().press("Enter");
        assertThat(openDialog()).hasCount(0);
        assertThat(demo.get("lost")).as("no change without a confirmation").isEqualTo("[]");

        revoke.click();
        String when = "Its process learns of the loss immediately, or with its next renewal";
        assertThat(dialog()).containsText(when);
        exactly(dialog(), "Revoke").click();

        assertThat(page.getByText("The permit " + id + " is revoked and free. " + when)).isVisible();
        assertThat(occupants().getByText("Reports#render").locator("visible=true")).hasCount(0);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(demo.get("lost")).contains(id));
        // A loss on the request of an operator does not count.
        assertThat(row("reports", "lost")).hasCount(0);
        demo.end();
        assertThat(call.join()).isEqualTo("lost");
    }

    private void resizesAndResets() {
        holders();
        title("reports").click();
        button("Resize").click();
        Locator confirm = dialog().locator("vaadin-button[slot=confirm-button]");
        Locator number = dialog().locator("vaadin-integer-field input");
        assertThat(number).isFocused();
        assertThat(number).hasValue("5");
        assertThat(confirm).isDisabled();
        page.keyboard().press("Enter");
        assertThat(openDialog()).hasCount(1);
        for (String wrong : Set.of("0", "-1", "2147483648", "")) {
            dialog().getByLabel("Permits").fill(wrong);
            assertThat(confirm).isDisabled();
            assertThat(dialog().locator("vaadin-integer-field[invalid]")).hasCount(1);
        }
        page.keyboard().press("Escape");
        assertThat(openDialog()).hasCount(0);
        button("Resize").click();
        assertThat(number).isFocused();
        // It replaces the selected number.
        page.keyboard().type("7");
        assertThat(number).hasValue("7");
        page.keyboard().press("Enter");
        assertThat(row("reports", "of 7")).isVisible();
        assertThat(row("reports", "resized")).isVisible();
        assertThat(page.locator("section.details .banner")).containsText(
                "The limit 7 was set for all applications, instead of the defined limit 5. It stays until you reset it");

        button("Reset size").click();
        assertThat(dialog().locator("vaadin-button[slot=cancel-button]")).isFocused();
        page.keyboard().press("Enter");
        assertThat(openDialog()).hasCount(0);
        assertThat(row("reports", "of 7")).isVisible();
        button("Reset size").click();
        confirm();
        assertThat(row("reports", "of 5")).isVisible();
        assertThat(button("Reset size")).isDisabled();
    }

    private void showsDifferingLimits() {
        holders();
        title("reports").click();
        demo.begin("reports");
        assertThat(row("reports", "1 of 5")).isVisible();

        demo.beginElsewhere("reports", 9);

        assertThat(row("reports", "limits differ")).isVisible();
        assertThat(page.getByText("Instances use different limits: 5, 9")).isVisible();
    }

    private void escapesKeys() {
        String key = "<img src=x onerror=\"document.title='broken'\"><b>bold</b>";
        holders();
        demo.take("markup", key, 3, 1);

        page.locator(LIST).getByText(key).click();
        assertThat(page.locator("section.details h2")).containsText(key);
        assertThat(page.locator("vaadin-grid b, vaadin-grid img, h2 b, h2 img")).hasCount(0);
        revoke().click();
        assertThat(dialog()).containsText(key);
        confirm();
        assertThat(page.getByText("is revoked").last()).isVisible();
        assertThat(page.title()).doesNotContain("broken");
    }

    /** Names, applications, instances, methods and ids of permits; in the pages, the dialogs and the messages. */
    private void escapesDataOfOtherApplications() {
        String markup = HostileApplication.MARKUP;
        holders();
        filter(markup);
        demo.post("hostile");
        title(markup).click();
        assertThat(visible(occupants().getByText(markup))).hasCount(4);

        revoke().click();
        assertThat(dialog().locator("dd").getByText(markup)).hasCount(4);
        confirm();
        assertThat(page.getByText("The permit " + markup + " is no longer held")).isVisible();

        String instance = HostileApplication.MARKUP_AS_NAME;
        filter("bold</b>");
        demo.post("hostile/silent");
        assertThat(revoke()).hasAttribute("aria-label", "Revoke the permit " + instance);
        revoke().click();
        confirm();
        assertThat(page.getByText("The permit " + instance + " is revoked")).isVisible();

        button("Resize").click();
        assertThat(dialog()).containsText(markup);
        dialog().getByLabel("Permits").fill("2");
        confirm();
        assertThat(page.getByText("The limit of '" + markup + "' is now 2")).isVisible();
        button("Reset size").click();
        assertThat(dialog()).containsText(markup);
        confirm();
        assertThat(page.getByText("applies its own limit of '" + markup + "' again")).isVisible();

        filter("no " + markup);
        assertThat(page.getByText("Nothing matches “no " + markup + "”")).isVisible();
        assertNoMarkup();
        page.getByText("Clear the filter").click();
        assertThat(title("reports")).isVisible();

        show("declared");
        assertThat(page.locator("article h2").getByText(markup)).isVisible();
        filter("no " + markup);
        assertThat(page.getByText("Nothing matches “no " + markup + "”")).isVisible();
        assertNoMarkup();
    }

    // Also within the components.
    private static void assertNoMarkup() {
        assertThat(page.locator("img[src=x], b.injected")).hasCount(0);
        assertThat(page.title()).doesNotContain("broken");
    }

    private void keysOpenAndCloseByKeyboard() {
        holders();
        demo.begin("crawl?host=example.org");
        Locator key = page.locator(LIST).getByText("example.org");
        assertThat(key).isVisible();

        Locator toggle = page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Keys of crawler"));
        toggle.focus();
        page.keyboard().press("Enter");
        assertThat(toggle).hasAttribute("aria-expanded", "false");
        assertThat(key).isHidden();
        page.keyboard().press("Enter");
        assertThat(key).isVisible();
    }

    /** A click would hit another row. */
    private void rowsStayUnderThePointer() {
        holders();
        Locator key = page.locator(LIST).getByText("example.org");
        assertThat(key).isHidden();
        BoundingBox before = title("reports").boundingBox();
        demo.begin("crawl?host=example.org");

        await().atMost(Duration.ofSeconds(60)).until(() -> {
            page.mouse().move(before.x + Math.random() * 9, before.y + 9);
            return page.locator(LIST).getByText("1 key").isVisible();
        });
        assertThat(title("reports").boundingBox()).usingRecursiveComparison().isEqualTo(before);
        assertThat(key).isHidden();

        page.mouse().move(0, 0);
        assertThat(key).isVisible();
        assertThat(title("reports").boundingBox().x).isEqualTo(before.x);
    }

    private void blankKeysAreVisible() {
        holders();
        page.mouse().move(0, 0);
        demo.take("blanks", " ", 3, 1);
        demo.take("blanks", "a\nb", 3, 1);

        assertThat(exactly(page.locator(LIST), "\" \"")).isVisible();
        page.locator(LIST).getByText("\"a\\nb\"").click();
        assertThat(page.locator("section.details h2")).containsText("\"a\\nb\"");
    }

    private void aThousandHoldersStayUsable() {
        holders();
        demo.take("bulk", null, 2_500, 1_000);
        title("bulk").click();
        assertThat(occupants().getByText("Holders (1,000)")).isVisible();
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Executions of")).click();
        Locator rows = occupants().locator("vaadin-grid tbody tr[role=row]");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rows.count()).isBetween(5, 200));

        occupants().locator("vaadin-grid").evaluate("grid => grid.scrollToIndex(500)");
        Object at = firstVisible();
        assertThat((Integer) at).isBetween(400, 501);
        String before = page.locator("section.details header").innerText();
        demo.take("bulk", null, 2_500, 10);
        assertThat(occupants().getByText("Holders (1,010)")).isVisible();
        assertThat(firstVisible()).as("does not scroll when rows are added").isEqualTo(at);
        assertThat(before).contains("1,000 of 2,500 in use");

        // An id with two digits in base 36; one with a single digit is the beginning of others.
        Object id = occupants().evaluate("it => it.row.holders[700].permitId");
        filter((String) id);
        assertThat(occupants().getByText("1 match of 1,000")).isVisible();
        assertThat(occupants().getByText((String) id)).isVisible();
        assertThat(title("reports")).isHidden();
    }

    private Object firstVisible() {
        return occupants().locator("vaadin-grid").evaluate("grid => grid._firstVisibleIndex");
    }

    private void twoPagesAreLiveAtOnce() {
        holders();
        Locator list = page.locator(LIST);
        double before = list.boundingBox().height;
        page.getByRole(AriaRole.SEPARATOR).focus();
        page.keyboard().press("ArrowDown");
        assertThat(list.boundingBox().height).isGreaterThan(before);
        double now = list.boundingBox().height;

        // A page that the first one opens shares its renderer, which has compiled the scripts already.
        Page other = page.waitForPopup(() -> page.evaluate("open(location.href)"));
        assertThat(other.locator(LIST)).isVisible();
        assertThat(other.locator(LIST).boundingBox().height).isEqualTo(now);
        page.evaluate("localStorage.removeItem('redis-bulkhead.height')");
        demo.begin("reports");

        assertThat(row(page, "reports", "1 of 5")).isVisible();
        assertThat(row(other, "reports", "1 of 5")).isVisible();
        demo.end();
        assertThat(row(page, "reports", "0 of 5")).isVisible();
        assertThat(row(other, "reports", "0 of 5")).isVisible();
        assertThat(requestNumber(other)).as("the server treats equal numbers as one subscription")
                .isNotCloseTo(requestNumber(page), Offset.offset(1_000L));
        other.close();
    }

    private void showsTheSourcesOfValues() {
        show("declared");
        Locator partner = page.locator("article[aria-label=partner-api]");
        Locator permits = partner.locator("tr", new Locator.LocatorOptions().setHasText("permits")).first();
        assertThat(permits).containsText("4");
        assertThat(permits).containsText("configuration");
        assertThat(permits).containsText("quarkus.redis-bulkhead.\"partner-api\".permits");
        assertThat(partner).containsText("PartnerApi#quote");
        assertThat(page.locator("article[aria-label=reports] tr.annotation")).hasCount(4);

        filter("render");
        assertThat(partner).isHidden();
        assertThat(page.locator("article[aria-label=reports]")).isVisible();
    }

    private void theCardCountsTheBulkheads() {
        browser();
        Locator link = page.locator("qwc-extension-link",
                new Page.LocatorOptions().setHas(page.locator("a[href*='quarkus-redis-bulkhead/declared']")));
        assertThat(link).containsText("Declared");
        assertThat(link).containsText("4");
        Locator logo = page.locator("img[src*='quarkus-redis-bulkhead/logo-light.svg']").first();
        assertThat(logo).isVisible();
        await().atMost(Duration.ofSeconds(60)).until(() -> ((Number) logo.evaluate("it => it.naturalWidth")).intValue() > 0);
    }

    private void showsOutageAndRecovery() {
        holders();
        title("reports").click();
        demo.begin("reports");
        assertThat(row("reports", "1 of 5")).isVisible();

        REDIS.stop();
        Locator away = page.getByText(Pattern.compile("Redis is not available. This is the state of \\d+ s ago"));
        assertThat(away).isVisible();
        assertThat(row("reports", "1 of 5")).isVisible();
        assertThat(button("Resize")).isDisabled();
        assertThat(revoke()).isDisabled();

        REDIS.start();
        assertThat(away).isHidden();
        assertThat(button("Resize")).isEnabled();
        assertThat(page.getByText("Live", new Page.GetByTextOptions().setExact(true))).isVisible();
        demo.end();
        demo.begin("reports");
        assertThat(row("reports", "1 of 5")).isVisible();
    }

    private static long requestNumber(Page page) {
        return ((Number) page.evaluate("import('jsonrpc').then(module => module.JsonRpc.messageCounter)")).longValue();
    }

    private JsonNode tool(String name, String arguments) {
        try {
            JsonNode answer = demo.mcp("tools/call", "{\"name\":\"" + PREFIX + name + "\",\"arguments\":" + arguments + "}");
            return new ObjectMapper().readTree(answer.get("result").get("content").get(0).get("text").asText());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode named(JsonNode answer, String name) {
        for (JsonNode bulkhead : answer.get("bulkheads")) {
            if (bulkhead.get("name").asText().equals(name)) {
                return bulkhead;
            }
        }
        throw new AssertionError("no " + name + " in " + answer);
    }

    private static void holders() {
        show("holders");
    }

    private static void show(String name) {
        browser();
        if (!page.url().endsWith("/" + name)) {
            // Not by its address: to load a page takes longer than everything else in a test.
            page.locator("a.extensionLink[href$='" + name + "']").locator("visible=true").click();
            assertThat(page.locator("qwc-redis-bulkhead-" + name + " " + FILTER)).isVisible();
        }
    }

    private static void browser() {
        if (chromium == null) {
            chromium = Chromium.start();
            PlaywrightAssertions.setDefaultAssertionTimeout(ASSERTION_MILLIS);
            page = chromium.newPage();
            page.onConsoleMessage(message -> System.out.println("browser: " + message.text()));
            page.onPageError(error -> System.out.println("browser: " + error));
            page.navigate(Demo.ROOT + "/q/dev-ui/extensions");
        }
    }

    private static void filter(String text) {
        Locator filter = page.locator(FILTER);
        if (filter.count() > 0) {
            filter.fill(text);
        }
    }

    private static Locator title(String name) {
        // The grid keeps hidden rows.
        return visible(exactly(page.locator(LIST + " .title"), name));
    }

    private static Locator exactly(Locator in, String text) {
        return in.getByText(text, new Locator.GetByTextOptions().setExact(true));
    }

    private static Locator visible(Locator some) {
        return some.filter(new Locator.FilterOptions().setVisible(true));
    }

    private static Locator row(String name, String text) {
        return row(page, name, text);
    }

    private static Locator row(Page page, String name, String text) {
        return page.locator(LIST).getByRole(AriaRole.ROW, new Locator.GetByRoleOptions()
                .setName(Pattern.compile("^\\s*" + name + "\\b.*" + text, Pattern.DOTALL)));
    }

    private static Locator occupants() {
        return page.locator("redis-bulkhead-occupants");
    }

    private static Locator revoke() {
        return visible(
                occupants().getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Revoke the permit")));
    }

    private static Locator dialog() {
        return page.locator("vaadin-confirm-dialog");
    }

    private static void confirm() {
        dialog().locator("vaadin-button[slot=confirm-button]").click();
    }

    // The dialog's own element has no size.
    private static Locator openDialog() {
        return page.locator("vaadin-confirm-dialog[opened]");
    }

    private static Locator button(String name) {
        return page.locator("section.details").getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name));
    }
}
