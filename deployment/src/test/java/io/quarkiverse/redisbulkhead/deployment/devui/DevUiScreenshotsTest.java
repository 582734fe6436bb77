package io.quarkiverse.redisbulkhead.deployment.devui;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

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

/**
 * Takes screenshots of the pages in many states and both themes, for the documentation and for review:
 * {@code -Dscreenshots=<folder>}.
 */
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
    List<Page> themes;

    @Test
    void takePictures() {
        try (Chromium chromium = Chromium.start()) {
            PlaywrightAssertions.setDefaultAssertionTimeout(120_000);
            themes = Stream.of(chromium.user(ColorScheme.LIGHT, 1_400, 900), chromium.user(ColorScheme.DARK, 1_400, 900),
                    chromium.user(ColorScheme.LIGHT, 800, 1_000), chromium.user(ColorScheme.DARK, 800, 1_000))
                    .map(BrowserContext::newPage).toList();
            open("extensions");
            picture("card");
            open("quarkus-redis-bulkhead/declared");
            picture("declared");
            open("quarkus-redis-bulkhead/holders");
            picture("idle");

            for (int i = 0; i < 5; i++) {
                demo.begin("reports");
                demo.begin("crawl?host=" + (i % 2 == 0 ? "example.org" : "example.net"));
                themes.get(0).waitForTimeout(4_000);
            }
            demo.begin("quotes");
            demo.begin("quotes");
            demo.begin("crawl?host=example.com");
            demo.begin("reports");
            demo.begin("reports");
            demo.begin("lock");
            demo.take("thumbnails", null, 12, 9);
            demo.beginElsewhere("invoices", 3);
            select("reports");
            themes.get(0).waitForTimeout(25_000);
            picture("holders");
            click("Waiters (2)");
            picture("waiters");
            click("Holders (5)");
            each(page -> page.getByLabel("Revoke the permit").filter(new Locator.FilterOptions().setVisible(true)).first()
                    .click());
            picture("revoke");
            confirm();
            picture("revoked");
            click("Resize …");
            picture("resize");
            // The second and later ones find it changed already.
            each(page -> page.locator("vaadin-integer-field input").fill(page == themes.get(0) ? "8" : "9"));
            confirm();
            picture("resized");
            each(page -> page.keyboard().press("Escape"));
            demo.begin("quotes");
            demo.beginElsewhere("partner-api", 9);
            select("partner-api");
            picture("differ");
            for (String key : List.of("<b>key</b>", "k".repeat(3_000), " ", "line\nbreak")) {
                demo.take("search", key, 4, 3);
            }
            demo.take("bulk", null, 2_500, 1_000);
            select("bulk");
            picture("thousands");
            select("reports");
            REDIS.stop();
            themes.get(0).waitForTimeout(8_000);
            picture("away");
        } finally {
            REDIS.start();
            demo.end();
            REDIS.stop();
        }
    }

    private void each(Consumer<Page> action) {
        themes.forEach(action);
    }

    private void open(String path) {
        each(page -> page.navigate(Demo.ROOT + "/q/dev-ui/" + path));
        each(page -> assertThat(page.getByText("Redis Bulkhead").first()).isVisible());
    }

    private void select(String name) {
        each(page -> page.locator("vaadin-grid.overview .title")
                .getByText(name, new Locator.GetByTextOptions().setExact(true))
                .filter(new Locator.FilterOptions().setVisible(true)).click());
    }

    private void click(String text) {
        each(page -> page.getByText(text).click());
    }

    private void confirm() {
        each(page -> page.locator("vaadin-button[slot=confirm-button]").click());
    }

    private void picture(String name) {
        Iterator<String> theme = List.of("-light", "-dark", "-narrow", "-narrow-dark").iterator();
        each(page -> {
            page.waitForTimeout(1_500);
            // The Dev UI logs this if it cannot reach the extension registry.
            page.evaluate("document.querySelectorAll('vaadin-notification-card').forEach(card => {"
                    + " if (card.textContent.includes('namespaces')) card.remove(); })");
            page.screenshot(new Page.ScreenshotOptions()
                    .setPath(Path.of(System.getProperty("screenshots"), name + theme.next() + ".png")));
        });
    }
}
