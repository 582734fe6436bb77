package io.quarkiverse.redisbulkhead.deployment.behaviour;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.restassured.RestAssured;

/** The metrics as Prometheus scrapes them. */
record Scrape(String text, List<Sample> samples) {

    private static final Pattern LINE = Pattern.compile("(redis_bulkhead_\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern TYPE = Pattern.compile("# TYPE (redis_bulkhead_\\w+) (\\w+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    record Sample(String name, Map<String, String> labels, double value) {
    }

    static Scrape now() {
        return as("text/plain");
    }

    static Scrape openMetrics() {
        return as("application/openmetrics-text; version=1.0.0; charset=utf-8");
    }

    private static Scrape as(String format) {
        String text = RestAssured.given().accept(format).get("/q/metrics").then().statusCode(200).extract().asString();
        return new Scrape(text, text.lines().map(LINE::matcher).filter(Matcher::matches).map(Scrape::sample).toList());
    }

    private static Sample sample(Matcher line) {
        Map<String, String> labels = new HashMap<>();
        if (line.group(2) != null) {
            LABEL.matcher(line.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return new Sample(line.group(1), labels, Double.parseDouble(line.group(3)));
    }

    /** The types of all metrics, by name. */
    Map<String, String> types() {
        return TYPE.matcher(text).results()
                .collect(Collectors.toMap(type -> type.group(1), type -> type.group(2)));
    }

    /** The samples with that name and at least these labels, each followed by its value. */
    Stream<Sample> samples(String name, String... labels) {
        Map<String, String> wanted = new HashMap<>();
        for (int i = 0; i < labels.length; i += 2) {
            wanted.put(labels[i], labels[i + 1]);
        }
        return samples.stream().filter(sample -> sample.name().equals(name)
                && sample.labels().entrySet().containsAll(wanted.entrySet()));
    }

    /** The value of the one sample of that kind. */
    double value(String name, String... labels) {
        List<Sample> found = samples(name, labels).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " samples of " + name + List.of(labels) + " in\n" + text);
        }
        return found.get(0).value();
    }
}
