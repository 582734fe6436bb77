package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static io.quarkiverse.redisbulkhead.runtime.store.exploration.BulkheadView.NOW;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/**
 * Advances time, and normalizes worlds that differ only in irrelevant details: distances of tickets, past ends, informational
 * fields. Otherwise the number of states would be infinite.
 */
final class Canonical {

    private static final long MICROS = NOW * 1000;

    /** Tickets further ahead exist only because the clock went back, and keep their distance. */
    private static final long AHEAD = 1_000_000;

    private Canonical() {
    }

    /** Advances the time. */
    static RedisModel later(RedisModel before, long millis) {
        RedisModel store = before.copy();
        BulkheadView view = new BulkheadView(store);
        for (Part part : List.of(Part.HOLDERS, Part.CANCELLED)) {
            view.scores(part).replaceAll((id, end) -> end - millis);
        }
        for (Part part : List.of(Part.QUEUE, Part.STANDBY)) {
            view.scores(part)
                    .replaceAll((id, micros) -> micros - (id.equals(BulkheadView.GRACE_ENTRY) ? millis : millis * 1000));
        }
        view.state().replaceAll((field, text) -> switch (field) {
            case "last ticket" -> Long.toString(Long.parseLong(text) - millis * 1000);
            case "set limit", "declared limits" -> text;
            default -> field.contains(" ") ? Long.toString(Long.parseLong(text) - millis) : shifted(text, millis);
        });
        for (String name : store.names()) {
            if (store.expiresAt(name) != RedisModel.NEVER) {
                store.expireAt(name, store.expiresAt(name) - millis);
            }
        }
        store.setMicros(MICROS);
        return store;
    }

    private static String shifted(String details, long millis) {
        PermitDetails old = PermitDetails.parse(details).orElseThrow();
        long ticket = old.ticket() == 0 ? 0 : old.ticket() - millis * 1000;
        return with(old, ticket, old.since() - millis);
    }

    private static String with(PermitDetails old, long ticket, long since) {
        return new PermitDetails(ticket, since, old.lease(), old.limit(), old.mailbox(), old.application(), old.instance(),
                old.method()).text();
    }

    /** Normalizes and seals a world; modifies it. */
    static World seal(World world) {
        world.notices.replaceAll(notice -> new Notice(notice.client(), notice.id(), notice.handedOver(), notice.ticket(),
                Math.max(notice.end(), Reply.LONG_OVER)));
        world.copies = distinct(world.copies);
        world.notices = distinct(world.notices);
        if (!world.isStoreSealed()) {
            world.store = sealed(world);
        }
        return world.seal();
    }

    private static RedisModel sealed(World world) {
        RedisModel store = world.store.copy();
        BulkheadView view = new BulkheadView(store);
        // Declared limits are informational here. Data that is kept for longer than anything lasts is kept.
        view.state().replaceAll((field, text) -> field.equals("declared limits") ? text.replaceAll(":\\d+", ":" + NOW)
                : field.startsWith("alive ") ? Long.toString(Math.max(Long.parseLong(text), NOW))
                        : text);
        for (Part part : List.of(Part.HOLDERS, Part.CANCELLED)) {
            view.scores(part).replaceAll((id, end) -> Math.max(end, NOW));
        }
        renumberTickets(world, store);
        renumberTurns(view);
        return store;
    }

    private static <T> List<T> distinct(List<T> list) {
        return new java.util.ArrayList<>(
                list.stream().distinct().sorted(java.util.Comparator.comparing(Object::toString)).toList());
    }

    private static void renumberTickets(World world, RedisModel store) {
        BulkheadView view = new BulkheadView(store);
        String last = view.state().get("last ticket");
        Set<Long> tickets = new TreeSet<>();
        view.scores(Part.QUEUE).values().forEach(ticket -> tickets.add(ticket.longValue()));
        view.records().keySet().forEach(id -> tickets.add(view.ticketOf(id)));
        tickets.remove(view.gracePeriodEnd());
        tickets.addAll(world.allTickets());
        if (last != null) {
            tickets.add(Long.parseLong(last));
        }
        tickets.remove(0L);
        Map<Long, Long> renumbered = renumbered(new TreeSet<>(tickets),
                world.mayHappen(Rare.CLOCK_BACK) ? Setting.TICK * 1000 : 0);
        view.scores(Part.QUEUE).replaceAll((id, ticket) -> id.equals(BulkheadView.GRACE_ENTRY) ? Math.max(ticket, NOW)
                : (double) renumbered.get(ticket.longValue()));
        view.state().replaceAll((id, text) -> {
            if (id.contains(" ")) {
                return text;
            }
            PermitDetails old = PermitDetails.parse(text).orElseThrow();
            boolean turnMatters = view.scores(Part.STANDBY).containsKey(id);
            // Starts longer ago than min-hold are equivalent.
            return with(old, renumbered.getOrDefault(old.ticket(), 0L),
                    turnMatters ? old.since() : world.minHold == 0 ? NOW : Math.max(old.since(), NOW - world.minHold));
        });
        world.mapTickets(renumbered::get);
        if (last != null) {
            view.state().put("last ticket", Long.toString(renumbered.get(Long.parseLong(last))));
        }
    }

    /** The distance of tickets behind the clock matters only as far as the clock may go back. */
    private static Map<Long, Long> renumbered(TreeSet<Long> tickets, long mayBeSetBack) {
        Map<Long, Long> renumbered = new HashMap<>();
        long past = MICROS - mayBeSetBack;
        tickets.subSet(past, MICROS).forEach(ticket -> renumbered.put(ticket, ticket));
        for (long ticket : tickets.headSet(past, false).descendingSet()) {
            renumbered.put(ticket, --past);
        }
        long next = MICROS;
        for (long ticket : tickets.tailSet(MICROS)) {
            renumbered.put(ticket, ticket < MICROS + AHEAD ? next++ : ticket);
        }
        return renumbered;
    }

    /** Of past turns, only the order matters, and that of the times to which they are reset. */
    private static void renumberTurns(BulkheadView view) {
        Map<String, Double> standby = view.scores(Part.STANDBY);
        TreeSet<Long> millis = new TreeSet<>();
        standby.forEach((id, micros) -> {
            millis.add((long) Math.floor(micros / 1000));
            PermitDetails.parse(view.records().getOrDefault(id, "")).ifPresent(details -> millis.add(details.since()));
        });
        Map<Long, Long> renumbered = new HashMap<>();
        long past = NOW;
        for (long milli : millis.headSet(NOW, false).descendingSet()) {
            renumbered.put(milli, --past);
        }
        standby.replaceAll((id, micros) -> {
            long milli = (long) Math.floor(micros / 1000);
            return renumbered.getOrDefault(milli, milli) * 1000d + micros % 1000;
        });
        view.state().replaceAll((id, text) -> {
            if (id.contains(" ")) {
                return text;
            }
            PermitDetails old = PermitDetails.parse(text).orElseThrow();
            return with(old, old.ticket(), renumbered.getOrDefault(old.since(), old.since()));
        });
    }
}
