package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The drawings of incidents are those of the recordings beside the pages; {@code -Drenew-reference} draws them again. */
class TimelinesTest {

    private static final Path RECORDINGS = Page.PAGES.resolveSibling("attachments");
    private static final Path DRAWINGS = Page.PAGES.resolveSibling("assets/images");

    @Test
    void drawingsShowTheRecordings() throws IOException {
        for (Path recording : recordings()) {
            String drawn = new Timeline(Files.readString(recording)).svg();
            Path drawing = DRAWINGS.resolve(recording.getFileName().toString().replace(".txt", ".svg"));
            if (Boolean.getBoolean("renew")) {
                Files.writeString(drawing, drawn);
            } else {
                assertThat(drawing).as("renew it by ./mvnw test -pl docs -Drenew-reference -Dtest=TimelinesTest")
                        .hasContent(drawn);
            }
        }
    }

    @Test
    void pagesShowEachOfThem() throws IOException {
        StringBuilder pages = new StringBuilder();
        for (Page page : Page.all()) {
            pages.append(page.text());
        }
        for (Path recording : recordings()) {
            String drawing = recording.getFileName().toString().replace(".txt", ".svg");
            assertThat(pages.indexOf(drawing)).as("place of %s in the pages", drawing).isNotNegative();
        }
    }

    private static List<Path> recordings() throws IOException {
        try (Stream<Path> files = Files.list(RECORDINGS)) {
            List<Path> recordings = files.filter(file -> file.getFileName().toString().matches("incident-.*\\.txt")).sorted()
                    .toList();
            assertThat(recordings).isNotEmpty();
            return recordings;
        }
    }
}
