package io.quarkiverse.redisbulkhead.docs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Draws a recording of the module {@code faults} as a timeline: how many executions run in all, and for each instance its
 * share, its executions and its waiting calls. The format of a recording is described in {@code Recording}.
 */
final class Timeline {

    private static final int WIDTH = 720;
    private static final int LEFT = 100;
    private static final int RIGHT = 16;
    private static final int TOP = 14;
    private static final int GAP = 16;
    private static final int PERMIT = 9;
    private static final int SHARE = 4;
    private static final int ROW = 12;
    private static final int BAR = 9;
    private static final int LEGEND_WIDTH = 152;

    private static final String REDIS = "redis";
    private static final Map<String, String> STATES = Map.of("killed", "killed", "paused", "paused (SIGSTOP)", "silent",
            "does not answer", "master-killed", "no master", "two-masters",
            "two masters: A uses the new one, B the old one");
    private static final Map<String, String> LEGEND = new LinkedHashMap<>();

    static {
        LEGEND.put("share", "its permits");
        LEGEND.put("wait", "waiting call");
        LEGEND.put("run", "execution");
        LEGEND.put("lost", "continues after its loss");
        LEGEND.put("full", "rejected: full");
        LEGEND.put("unavailable", "rejected: unavailable");
        LEGEND.put("over", "beyond the limit");
    }

    private static final String STYLE = """
            <style>
            text { font: 13px 'Liberation Sans', Arial, Helvetica, sans-serif; fill: #24292f; }
            rect { shape-rendering: crispEdges; } .paper { fill: #ffffff; } .small { font-size: 12px; fill: #57606a; } .end { text-anchor: end; }
            .middle { text-anchor: middle; }
            .grid { stroke: #d8dee4; stroke-width: 1; } .limit { stroke: #57606a; stroke-dasharray: 4 3; }
            .run { fill: #2f6fb2; } .lost { fill: #d2691e; } .share { fill: #b6d4f2; } .all { fill: #8fb4d9; }
            .over { fill: #cf222e; } .state { fill: #6e7781; fill-opacity: 0.22; }
            .wait { stroke: #8c959f; stroke-width: 2; }
            .full, .unavailable { fill: none; stroke-width: 2; } .full { stroke: #9a6700; } .unavailable { stroke: #cf222e; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; } .paper { fill: #161b22; } .small { fill: #9198a1; } .grid { stroke: #30363d; }
            .limit { stroke: #9198a1; } .run { fill: #4d8fd6; } .lost { fill: #e0873f; } .share { fill: #2c5783; }
            .all { fill: #3a6291; } .over { fill: #f85149; } .state { fill: #8b949e; } .wait { stroke: #7d8590; }
            .full { stroke: #d29922; } .unavailable { stroke: #f85149; }
            }
            </style>
            """;

    private record Share(long at, long permits) {
    }

    private record State(String lane, long from, long until, String word) {
    }

    private record Call(String instance, long asked, long entered, long lost, long ended, String outcome) {

        boolean ran() {
            return entered != Long.MAX_VALUE;
        }
    }

    private final Map<String, List<Share>> shares = new TreeMap<>();
    private final List<State> states = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final TreeSet<String> used = new TreeSet<>();
    private final StringBuilder svg = new StringBuilder();
    private int limit;
    private long end;

    Timeline(String recording) {
        for (String line : recording.lines().toList()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "limit" -> limit = Integer.parseInt(words[1]);
                case "share" -> shares.computeIfAbsent(words[1], instance -> new ArrayList<>())
                        .add(new Share(time(words[2]), Long.parseLong(words[3])));
                case "state" -> states.add(new State(words[1], time(words[2]), time(words[3]), words[4]));
                case "call" -> calls.add(new Call(words[1], time(words[2]), time(words[3]), time(words[4]), time(words[5]),
                        words[6]));
                case "end" -> end = Long.parseLong(words[1]);
                default -> throw new IllegalArgumentException("Not a line of a recording: " + line);
            }
        }
    }

    private static long time(String word) {
        return word.equals("-") ? Long.MAX_VALUE : Long.parseLong(word);
    }

    private double x(long millis) {
        return LEFT + (double) Math.min(millis, end) * (WIDTH - LEFT - RIGHT) / end;
    }

    String svg() {
        int y = drawRunning(TOP);
        int top = TOP;
        for (String instance : calls.stream().map(Call::instance).collect(Collectors.toCollection(TreeSet::new))) {
            y = drawInstance(instance, y + GAP);
        }
        if (states.stream().anyMatch(state -> state.lane().equals(REDIS))) {
            y = drawRedis(y + GAP);
        }
        String lanes = svg.toString();
        svg.setLength(0);
        drawAxis(top, y + 6);
        y = drawLegend(y + 34);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n"
                .formatted(WIDTH, y, WIDTH, y) + STYLE
                + "<rect class=\"paper\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n"
                        .formatted(WIDTH, y)
                + svg.substring(0, svg.indexOf("<!-- legend -->")) + lanes + svg.substring(svg.indexOf("<!-- legend -->"))
                + "</svg>\n";
    }

    private int drawRunning(int y) {
        TreeMap<Long, Integer> changes = new TreeMap<>();
        for (Call call : calls) {
            if (call.ran()) {
                changes.merge(call.entered(), 1, Integer::sum);
                changes.merge(Math.min(call.ended(), end), -1, Integer::sum);
            }
        }
        int most = limit;
        int running = 0;
        for (int change : changes.values()) {
            running += change;
            most = Math.max(most, running);
        }
        int bottom = y + most * PERMIT;
        running = 0;
        long since = 0;
        for (Map.Entry<Long, Integer> change : changes.entrySet()) {
            column(since, change.getKey(), bottom, 0, Math.min(running, limit), "all");
            column(since, change.getKey(), bottom, limit, running, "over");
            running += change.getValue();
            since = change.getKey();
        }
        line(x(0), bottom - limit * PERMIT, x(end), bottom - limit * PERMIT, "limit");
        text(LEFT - 8, y + 9, "end", "all instances");
        text(LEFT - 8, y + 24, "small end", "limit " + limit);
        return bottom;
    }

    private void column(long from, long until, int bottom, int low, int high, String kind) {
        if (until > from && high > low) {
            used.add(kind);
            rectangle(x(from), bottom - high * PERMIT, x(until) - x(from), (high - low) * PERMIT, kind);
        }
    }

    private int drawInstance(String instance, int y) {
        List<Call> own = calls.stream().filter(call -> call.instance().equals(instance))
                .sorted((one, other) -> Long.compare(one.asked(), other.asked())).toList();
        int rowsBegin = y + drawShare(instance, y);
        List<Long> rows = new ArrayList<>();
        for (Call call : own) {
            int row = 0;
            while (row < rows.size() && rows.get(row) > call.asked()) {
                row++;
            }
            if (row == rows.size()) {
                rows.add(0L);
            }
            rows.set(row, Math.min(call.ended(), end));
            drawCall(call, rowsBegin + row * ROW);
        }
        int bottom = rowsBegin + rows.size() * ROW;
        text(LEFT - 8, y + 10, "end", "instance " + instance);
        drawStates(instance, y - 3, bottom + 1);
        return bottom;
    }

    private int drawShare(String instance, int y) {
        List<Share> steps = shares.getOrDefault(instance, List.of());
        for (int i = 0; i < steps.size(); i++) {
            Share step = steps.get(i);
            long until = i + 1 < steps.size() ? steps.get(i + 1).at() : end;
            if (step.permits() > 0 && until > step.at()) {
                used.add("share");
                rectangle(x(step.at()), y + (limit - step.permits()) * SHARE, x(until) - x(step.at()), step.permits() * SHARE,
                        "share");
            }
        }
        return steps.isEmpty() ? 0 : limit * SHARE + 3;
    }

    private void drawCall(Call call, int y) {
        double middle = y + BAR / 2.0;
        double waitEnd = x(call.ran() ? call.entered() : call.ended());
        if (waitEnd - x(call.asked()) > 2) {
            used.add("wait");
            line(x(call.asked()), middle, waitEnd, middle, "wait");
        }
        if (call.ran()) {
            used.add("run");
            double ran = x(Math.min(call.lost(), call.ended()));
            rectangle(x(call.entered()), y, Math.max(1, ran - x(call.entered()) - 0.5), BAR, "run");
            if (call.lost() < Math.min(call.ended(), end)) {
                used.add("lost");
                rectangle(ran, y, x(call.ended()) - ran, BAR, "lost");
            }
        } else if (LEGEND.containsKey(call.outcome())) {
            used.add(call.outcome());
            cross(waitEnd, middle, call.outcome());
        }
    }

    private void drawStates(String lane, int y, int bottom) {
        for (State state : states) {
            if (state.lane().equals(lane)) {
                rectangle(x(state.from()), y, x(state.until()) - x(state.from()), bottom - y, "state");
                text((x(state.from()) + x(state.until())) / 2, y + 12, "small middle", STATES.get(state.word()));
            }
        }
    }

    private int drawRedis(int y) {
        text(LEFT - 8, y + 12, "end", "Redis");
        drawStates(REDIS, y, y + 17);
        return y + 17;
    }

    private void drawAxis(int top, int y) {
        long step = end > 6_000 ? 1_000 : 500;
        for (long at = 0; at <= end; at += step) {
            line(x(at), top - 4, x(at), y, "grid");
            text(x(at), y + 14, "small middle", at % 1_000 == 0 ? Long.toString(at / 1_000)
                    : String.format(Locale.ROOT, "%.1f", at / 1_000.0));
        }
        text(LEFT - 8, y + 14, "small end", "seconds");
        svg.append("<!-- legend -->\n");
    }

    private int drawLegend(int y) {
        double x = LEFT;
        for (Map.Entry<String, String> entry : LEGEND.entrySet()) {
            if (used.contains(entry.getKey())) {
                if (x + LEGEND_WIDTH > WIDTH) {
                    x = LEFT;
                    y += 16;
                }
                drawSign(entry.getKey(), x, y);
                text(x + 22, y + 9, "small", entry.getValue());
                x += LEGEND_WIDTH;
            }
        }
        return y + 20;
    }

    private void drawSign(String kind, double x, int y) {
        switch (kind) {
            case "wait" -> line(x, y + 5, x + 16, y + 5, kind);
            case "full", "unavailable" -> cross(x + 8, y + 5, kind);
            default -> rectangle(x, y + 1, 16, BAR, kind);
        }
    }

    private void rectangle(double x, double y, double width, double height, String kind) {
        append("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>%n", kind, x, y, width, height);
    }

    private void line(double x1, double y1, double x2, double y2, String kind) {
        append("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", kind, x1, y1, x2, y2);
    }

    private void cross(double x, double y, String kind) {
        append("<path class=\"%1$s\" d=\"M%2$.1f %4$.1fL%3$.1f %5$.1fM%2$.1f %5$.1fL%3$.1f %4$.1f\"/>%n", kind, x - 3.5,
                x + 3.5, y - 3.5, y + 3.5);
    }

    private void text(double x, double y, String kind, String text) {
        append("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>%n", kind, x, y, text);
    }

    private void append(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
