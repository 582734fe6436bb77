package io.quarkiverse.redisbulkhead.deployment.devui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;

import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.test.QuarkusDevModeTest;

/** Takes screenshots of the pages in all states and both themes, for review: {@code -Dscreenshots=<folder>}. */
@EnabledIfSystemProperty(named = "screenshots", matches = ".+", disabledReason = "Only with -Dscreenshots=<folder>")
class DevUiScreenshotsTest {

    static final KillableRedis REDIS = new KillableRedis("dev-ui-screenshots-test");

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest().withApplicationRoot(jar -> {
        REDIS.start();
        jar.addClasses(DemoApplication.class, OtherInstance.class).addClasses(DemoApplication.class.getDeclaredClasses())
                .addAsResource(new StringAsset("""
                        quarkus.application.name=shop
                        quarkus.http.port=%d
                        quarkus.redis.hosts=%s
                        quarkus.redis-bulkhead."partner-api".permits=4
                        quarkus.redis-bulkhead."partner-api".weight=2
                        quarkus.redis-bulkhead."partner-api".max-waiters=20
                        quarkus.redis-bulkhead.on-outage=allow
                        """.formatted(Demo.PORT, REDIS.address())), "application.properties");
    });

    final Demo demo = new Demo();

    @Test
    void takePictures() {
        try (Chromium chromium = Chromium.start()) {
            PlaywrightAssertions.setDefaultAssertionTimeout(120_000);
            Page[] themes = { open(chromium.user(ColorScheme.LIGHT, 1_400, 900)),
                    open(chromium.user(ColorScheme.DARK, 1_400, 900)), open(chromium.user(ColorScheme.LIGHT, 800, 1_000)),
                    open(chromium.user(ColorScheme.DARK, 800, 1_000)) };
            card(themes);
            picture("idle", themes);
            declared("declared", themes);

            for (int i = 0; i < 5; i++) {
                demo.begin("reports");
                demo.begin("crawl?host=" + (i % 2 == 0 ? "example.org" : "example.net"));
                themes[0].waitForTimeout(4_000);
            }
            demo.begin("quotes");
            demo.begin("quotes");
            demo.begin("crawl?host=example.com");
            demo.begin("reports");
            demo.begin("reports");
            demo.beginPost("lock");
            demo.take("thumbnails", null, 12, 9);
            demo.beginElsewhere("invoices", 3);
            select("reports", themes);
            themes[0].waitForTimeout(25_000);
            picture("holders", themes);
            for (Page page : themes) {
                page.getByText("Waiters (2)").click();
            }
            picture("waiters", themes);
            clock("Date.now() + 540_000", themes);
            picture("late-waiters", themes);
            clock("Date.now()", themes);
            for (Page page : themes) {
                page.getByText(Pattern.compile("Holders \\(\\d\\)")).click();
                page.getByLabel("Revoke the permit").filter(new Locator.FilterOptions().setVisible(true)).first().click();
            }
            picture("revoke", themes);
            for (Page page : themes) {
                page.locator("vaadin-button[slot=confirm-button]").click();
            }
            picture("revoked", themes);
            for (Page page : themes) {
                page.getByText("Resize …").click();
            }
            picture("resize", themes);
            for (Page page : themes) {
                page.locator("vaadin-integer-field input").fill("0");
            }
            picture("resize-invalid", themes);
            for (Page page : themes) {
                // Later tests find it changed already.
                page.locator("vaadin-integer-field input").fill(page == themes[0] ? "8" : "9");
                page.locator("vaadin-button[slot=confirm-button]").click();
            }
            picture("resized", themes);
            for (Page page : themes) {
                page.getByText("Reset size").click();
            }
            picture("reset", themes);
            for (Page page : themes) {
                page.keyboard().press("Escape");
            }
            demo.begin("quotes");
            demo.beginElsewhere("partner-api", 9);
            select("partner-api", themes);
            picture("differ", themes);
            demo.take("search", "<b>key</b>", 4, 3);
            demo.take("search", "k".repeat(3_000), 4, 3);
            demo.take("search", " ", 4, 3);
            demo.take("search", "line\nbreak", 4, 3);
            demo.take("bulk", null, 2_500, 1_000);
            select("bulk", themes);
            picture("thousands", themes);
            Object permit = themes[0].locator("redis-bulkhead-occupants").evaluate("it => it.row.holders[734].permitId");
            for (Page page : themes) {
                page.locator(DevUiTest.FILTER).fill((String) permit);
            }
            picture("filtered", themes);
            for (Page page : themes) {
                page.locator(DevUiTest.FILTER).fill("no such thing");
            }
            picture("nothing-matches", themes);
            for (Page page : themes) {
                page.locator(DevUiTest.FILTER).fill("");
            }
            select("reports", themes);
            REDIS.stop();
            themes[0].waitForTimeout(8_000);
            picture("away", themes);
            show("it._actions().resize(it._detail)", themes);
            picture("away-resize", themes);
            show("it._actions()._close()", themes);
            show("it._state.error = undefined; it._state.incomplete = 'the Redis user is not allowed to SCAN; "
                    + "bulkheads and keys that other processes use are not shown. Grant the right with ACL SETUSER "
                    + "<user> +scan'", themes);
            picture("incomplete", themes);
            show("it._state = { now: Date.now(), at: Date.now(), bulkheads: [] }", themes);
            picture("empty", themes);
            show("it._state = { now: Date.now(), error: 'Redis cannot be reached: Connection refused' }", themes);
            picture("never-answered", themes);
            show("it._state = undefined", themes);
            picture("loading", themes);
        } finally {
            REDIS.start();
            demo.end();
            REDIS.stop();
        }
    }

    private static void select(String name, Page... themes) {
        for (Page page : themes) {
            page.locator("vaadin-grid.overview .title").getByText(name, new Locator.GetByTextOptions().setExact(true))
                    .filter(new Locator.FilterOptions().setVisible(true)).click();
        }
    }

    private static void clock(String now, Page... themes) {
        for (Page page : themes) {
            page.locator("qwc-redis-bulkhead-holders").evaluate("it => { it._live.now = () => " + now + "; }");
        }
    }

    private static void card(Page... themes) {
        for (Page page : themes) {
            page.navigate(Demo.ROOT + "/q/dev-ui/extensions");
            assertThat(page.getByText("Redis Bulkhead").first()).isVisible();
        }
        picture("card", themes);
        for (Page page : themes) {
            page.navigate(Demo.ROOT + "/q/dev-ui/quarkus-redis-bulkhead/holders");
        }
    }

    /** A state that needs many steps. */
    private static void show(String state, Page... themes) {
        for (Page page : themes) {
            page.locator("qwc-redis-bulkhead-holders")
                    .evaluate("it => { it._live.stop(); " + state + "; it.requestUpdate(); }");
        }
    }

    private static void declared(String name, Page... themes) {
        for (Page page : themes) {
            page.navigate(Demo.ROOT + "/q/dev-ui/quarkus-redis-bulkhead/declared");
        }
        picture(name, themes);
        for (Page page : themes) {
            page.navigate(Demo.ROOT + "/q/dev-ui/quarkus-redis-bulkhead/holders");
        }
    }

    private static Page open(BrowserContext user) {
        Page page = user.newPage();
        page.navigate(Demo.ROOT + "/q/dev-ui/quarkus-redis-bulkhead/holders");
        assertThat(page.locator(DevUiTest.FILTER)).isVisible();
        return page;
    }

    private static void picture(String name, Page... themes) {
        for (int i = 0; i < themes.length; i++) {
            themes[i].waitForTimeout(1_500);
            // The Dev UI logs this if it cannot reach the extension registry.
            themes[i].evaluate("document.querySelectorAll('vaadin-notification-card').forEach(card => {"
                    + " if (card.textContent.includes('namespaces')) card.remove(); })");
            themes[i].screenshot(new Page.ScreenshotOptions()
                    .setPath(Path.of(System.getProperty("screenshots"),
                            name + List.of("-light", "-dark", "-narrow", "-narrow-dark").get(i) + ".png")));
        }
    }
}
