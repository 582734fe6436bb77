package io.quarkiverse.redisbulkhead.deployment.devui;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;

/** The Chromium that is installed on this machine. Nothing is downloaded. */
final class Chromium implements AutoCloseable {

    private static final List<Path> EXECUTABLES = Stream
            .of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome").map(Path::of).toList();
    private static final int TIMEOUT_MILLIS = 120_000;

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Path executable) {
        playwright = Playwright.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright.chromium().launch(new BrowserType.LaunchOptions().setExecutablePath(executable).setHeadless(true)
                .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                        "--disable-background-networking", "--disable-component-update", "--disable-sync",
                        // A process less.
                        "--in-process-gpu", "--disable-software-rasterizer")));
    }

    /** Starts it; skips the calling test if it is not installed. */
    static Chromium start() {
        Optional<Path> executable = EXECUTABLES.stream().filter(Files::isExecutable).findFirst();
        Assumptions.assumeTrue(executable.isPresent(), "None of " + EXECUTABLES
                + " is there, so the pages of the Dev UI are not tested. Debian: apt-get install chromium");
        return new Chromium(executable.get());
    }

    Page newPage() {
        BrowserContext user = browser.newContext(
                new Browser.NewContextOptions().setViewportSize(1_400, 1_000).setLocale("en-GB"));
        user.setDefaultTimeout(TIMEOUT_MILLIS);
        return user.newPage();
    }

    @Override
    public void close() {
        playwright.close();
    }
}
