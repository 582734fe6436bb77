package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The calculator, in a browser, gives what the formulas of the page on sizing give. */
class SizingTest {

    private static final Path CALCULATOR = Page.PAGES.resolveSibling("attachments/sizing.html");
    private static final List<Path> BROWSERS = Stream
            .of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome").map(Path::of).toList();

    /**
     * What is asked.
     *
     * @param average of a call, in milliseconds
     * @param slow the 99th percentile, in milliseconds
     * @param patience of callers, in milliseconds
     * @param rate calls per second
     * @param expire in seconds
     */
    private record Question(int instances, int permits, int average, int slow, int patience, int rate, int expire) {

        double capacity() {
            return permits * 1_000.0 / average;
        }

        double maxWait() {
            return Math.max(0, Math.floor(0.8 * (patience - slow) / 100) / 10);
        }

        int maxWaiters() {
            return (int) Math.ceil(permits * maxWait() * 1_000 / average / instances);
        }

        int localPermits() {
            return Math.max(1, permits / instances);
        }

        double syncs() {
            return instances * 3.0 / expire + instances + Math.min(rate, capacity()) * 2;
        }

        String query() {
            return "?instances=%d&permits=%d&average=%d&slow=%d&patience=%d&rate=%d&expire=%d&name=partner".formatted(instances,
                    permits, average, slow, patience, rate, expire);
        }
    }

    private static final Question EXAMPLE = new Question(4, 10, 200, 500, 3_000, 80, 10);
    private static final List<Question> QUESTIONS = List.of(EXAMPLE, new Question(12, 100, 35, 90, 1_000, 800, 30),
            new Question(3, 2, 5_000, 9_000, 5_000, 1, 30));
    private static final String NEXT = "<hr class=\"next\">";

    private static Map<Question, String> answers;

    @Test
    void theCalculatorHasTheFormulasOfThePage() throws IOException, InterruptedException {
        for (Question question : QUESTIONS) {
            String page = answers().get(question);
            assertThat(value(page, "capacity")).isEqualTo(number(question.capacity(), 1));
            assertThat(value(page, "load")).isEqualTo(number(100 * question.rate() / question.capacity(), 0) + " %");
            assertThat(value(page, "pause")).isEqualTo(number(0.6 * question.expire(), 1) + " s");
            assertThat(value(page, "outage")).isEqualTo(Integer.toString(question.localPermits() * question.instances()));
            assertThat(value(page, "syncs")).isEqualTo(number(question.syncs(), 0));
            assertThat(value(page, "cpu")).isEqualTo(number(question.syncs() * 0.01, 1) + " %");
            assertThat(value(page, "memory")).isEqualTo(number(question.instances() * 0.6, 1) + " kB");
            assertThat(value(page, "connections"))
                    .isEqualTo(question.instances() * 2 + "; " + (question.instances() + 1) * 2);
            assertThat(value(page, "properties")).contains("\"partner\".permits=" + question.permits(),
                    "\"partner\".max-wait=" + number(question.maxWait(), 1) + "s",
                    "\"partner\".max-waiters=" + question.maxWaiters(), "\"partner\".expire=" + question.expire() + "s",
                    "\"partner\".local-permits=" + question.localPermits(), "instances=" + question.instances());
        }
    }

    /** The example of the page on sizing, with the same numbers. */
    @Test
    void theCalculatorSolvesTheExample() throws IOException, InterruptedException {
        String page = answers().get(EXAMPLE);
        String sizing = Files.readString(Page.PAGES.resolve("sizing.adoc"));
        assertThat(value(page, "capacity")).isEqualTo("50");
        assertThat(sizing).contains("50 calls per second", "| 10 × 2 s ÷ 0.2 s = 100 waiters, ÷ 4 instances | `25`",
                "105 syncs per second", "1.1% of a core");
        assertThat(value(page, "properties")).contains("max-wait=2s", "max-waiters=25", "local-permits=2");
        assertThat(value(page, "syncs")).isEqualTo("105");
        assertThat(value(page, "cpu")).isEqualTo("1.1 %");
        assertThat(value(page, "memory")).isEqualTo("2.4 kB");
    }

    private static String value(String page, String id) {
        Matcher element = Pattern.compile("id=\"" + id + "\">(.*?)</", Pattern.DOTALL).matcher(page);
        assertThat(element.find()).as("element %s of the page", id).isTrue();
        return element.group(1).replace("&gt;", ">");
    }

    private static String number(double number, int digits) {
        String text = String.format(Locale.ROOT, "%." + digits + "f", number);
        return digits == 0 ? text : text.replaceFirst("[.]?0+$", "");
    }

    // A start of the browser takes much longer than the calculator, so one start opens it with all questions, in frames.
    private static synchronized Map<Question, String> answers() throws IOException, InterruptedException {
        if (answers == null) {
            Path folder = Files.createTempDirectory("sizing");
            try {
                String frames = QUESTIONS.stream()
                        .map(question -> "<iframe src='" + CALCULATOR.toUri() + question.query() + "'></iframe>")
                        .collect(Collectors.joining());
                Path frame = Files.writeString(folder.resolve("frames.html"), """
                        <body onload="document.body.innerHTML = [...document.querySelectorAll('iframe')]
                            .map(each => each.contentDocument.body.innerHTML).join('%s')">%s</body>
                        """.formatted(NEXT.replace("\"", "&quot;"), frames));
                String[] pages = content(frame, folder.resolve("profile")).split(NEXT);
                assertThat(pages).hasSameSizeAs(QUESTIONS);
                answers = IntStream.range(0, pages.length).boxed().collect(Collectors.toMap(QUESTIONS::get, i -> pages[i]));
            } finally {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
                }
            }
        }
        return answers;
    }

    private static String content(Path page, Path profile) throws IOException, InterruptedException {
        Optional<Path> browser = BROWSERS.stream().filter(Files::isExecutable).findFirst();
        assumeTrue(browser.isPresent(), "None of " + BROWSERS + " is there. Debian: apt-get install chromium");
        Process process = new ProcessBuilder(browser.get().toString(), "--headless", "--no-sandbox", "--disable-gpu",
                "--no-first-run", "--disable-background-networking", "--disable-sync", "--allow-file-access-from-files",
                "--user-data-dir=" + profile, "--dump-dom", page.toUri().toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String content = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return content;
    }
}
