package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static io.quarkiverse.redisbulkhead.runtime.store.exploration.BulkheadView.NOW;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Reply.What;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.LuaEngine;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.Published;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/** Runs the scripts on the server of a {@link World}. Results are cached per request and server state. */
final class ScriptedStore {

    /** The outcome of a request. */
    record Outcome(RedisModel store, Reply reply, List<Notice> notices, long ticket) {
    }

    private final Setting setting;
    private final LuaEngine lua = new LuaEngine();
    private final String script;
    private final Map<String, Outcome> known = new HashMap<>();

    /**
     * @param setting the limit, lease and other terms of the clients
     * @param change modifies the script
     */
    ScriptedStore(Setting setting, UnaryOperator<String> change) {
        this.setting = setting;
        this.script = change.apply(ScriptTexts.of("bulkhead"));
    }

    Outcome execute(World world, Request request) {
        return known.computeIfAbsent(
                request.operation() + " " + request.id() + " " + request.place() + " " + request.ticket() + " "
                        + world.storeText(),
                unknown -> run(world.store.copy(), request));
    }

    private Outcome run(RedisModel store, Request request) {
        Object replied = lua.run(store, script, BulkheadView.NAMES, args(request));
        String[] result = ScriptTexts.answers(replied).get(0).split(" ");
        List<Notice> notices = new ArrayList<>();
        // Messages in the reply may be lost as well; a poll finds them.
        ScriptTexts.notices(replied).stream().filter(text -> !text.startsWith("limits"))
                .forEach(text -> notices.add(notice(Integer.toString(request.client()), text)));
        for (Published message : store.takePublished()) {
            message.text().lines().forEach(text -> notices.add(notice(message.channel(), text)));
        }
        Reply reply = reply(request, result);
        return new Outcome(store, reply, notices, reply.what() == What.GRANTED ? number(result, 0) : 0);
    }

    private static long number(String[] result, int index) {
        return Long.parseLong(result[index]);
    }

    private List<String> args(Request request) {
        String lease = Long.toString(setting.lease());
        String place = Long.toString(request.place());
        String limit = Integer.toString(setting.limit());
        String process = Integer.toString(request.client());
        List<String> args = new ArrayList<>(List.of(process, request.operation() == Operation.ACQUIRE ? "1" : "0",
                Weights.of(request.id()) > 1 ? "1" : "0"));
        args.addAll(switch (request.operation()) {
            case ACQUIRE -> {
                List<String> words = new ArrayList<>(BatchedCalls.terms(limit, lease, place,
                        setting.roles().get(request.client()) == Role.WAITS_IN_ORDER, process));
                words.addAll(request.ticket() > 0 ? List.of("queue", Long.toString(request.ticket())) : List.of());
                words.addAll(List.of("1", request.id()));
                yield words;
            }
            case POLL -> List.of("poll", place, limit, "1", request.id());
            case RENEW -> List.of("renew", request.id(), lease);
            case RELEASE -> List.of("release", request.id());
            case RELEASE_AFTER -> List.of("release after", Long.toString(setting.minHold()), request.id());
            case DETACH -> List.of("detach", request.id(), lease, "secret", Long.toString(request.place()));
            case ATTACH -> List.of("attach", request.id(), request.id().split(Behaviour.ATTACHES)[1], "secret", lease, "0",
                    BatchedCalls.terms(limit, lease, place, false, process).get(4));
            case CANCEL -> List.of("cancel", Long.toString(setting.longestDelay()), "1", request.id());
        });
        return args;
    }

    private static Reply reply(Request request, String[] result) {
        return switch (request.operation()) {
            case ACQUIRE -> acquired(result);
            case POLL -> polled(result);
            case RENEW -> Reply.of(number(result, 0) == 1 ? What.RENEWED : What.LOST);
            case DETACH -> Reply.of(number(result, 0) == 1 ? What.DONE : What.LOST);
            case ATTACH -> Reply.of(result.length > 1 ? What.GRANTED : What.LOST);
            case RELEASE, RELEASE_AFTER, CANCEL -> Reply.of(What.DONE);
        };
    }

    private static Reply acquired(String[] result) {
        return switch (result.length) {
            case 1 -> Reply.of(number(result, 0) == -1 ? What.CANCELLED : What.GRANTED);
            case 2 -> Reply.of(What.FULL);
            default -> new Reply(What.WAITING, 0, number(result, 3), number(result, 2) - NOW);
        };
    }

    private static Reply polled(String[] result) {
        long clock = number(result, 0) - NOW;
        if (number(result, 3) > 0) {
            return new Reply(What.HANDED_OVER, number(result, 6) - NOW, 0, clock);
        }
        if (result.length > 4) {
            return new Reply(What.GONE, 0, 0, clock);
        }
        return new Reply(number(result, 1) > 0 ? What.FREE : What.NOTHING_NEW, 0, 0, clock);
    }

    private static Notice notice(String process, String text) {
        String[] words = text.split(" ");
        boolean handedOver = words[0].equals("handed-over");
        return new Notice(Integer.parseInt(process), words[1], handedOver,
                handedOver ? Long.parseLong(words[2]) : 0, handedOver ? Long.parseLong(words[3]) - NOW : 0);
    }
}
