package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.ScriptedStore.Outcome;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;

/** Clients of one bulkhead, the network between them and the server, and the real scripts on the server. */
final class ProtocolModel implements Model<World> {

    private final Setting setting;
    private final ScriptedStore store;
    private final Behaviour behaviour;
    private final StoreRules storeRules;
    private final WorldRules worldRules;

    ProtocolModel(Setting setting) {
        this(setting, UnaryOperator.identity());
    }

    /** With a modified script. */
    ProtocolModel(Setting setting, UnaryOperator<String> change) {
        this.setting = setting;
        this.store = new ScriptedStore(setting, change);
        this.behaviour = new Behaviour(setting);
        this.storeRules = new StoreRules(setting);
        this.worldRules = new WorldRules(setting, store);
    }

    @Override
    public World start() {
        int[] bounds = new int[Rare.values().length];
        setting.bounds().forEach((what, times) -> bounds[what.ordinal()] = times);
        World world = new World(new RedisModel(BulkheadView.NOW * 1000), setting.minHold(), bounds);
        for (Role role : setting.roles()) {
            world.clients.add(new Client(world.clients.size(), role, setting.calls()));
        }
        return Canonical.seal(world);
    }

    @Override
    public List<String> broken(World world) {
        return worldRules.broken(world);
    }

    @Override
    public List<Move<World>> moves(World world) {
        List<Move<World>> moves = new ArrayList<>();
        for (Client client : world.clients) {
            for (Behaviour.Choice choice : behaviour.choices(world, client)) {
                moves.add(move(world, choice.label(), choice.effect()));
            }
            if (!client.outbox.isEmpty()) {
                moves.add(arrival(world, client.outbox.get(0), false));
            }
            if (!client.inbox.isEmpty()) {
                ReplyInFlight inFlight = client.inbox.get(0);
                moves.add(move(world, client.name() + " receives the reply " + inFlight, later -> {
                    Client it = later.clients.get(client.number);
                    it.inbox.remove(0);
                    behaviour.receive(later, it, inFlight);
                }));
            }
            if (world.mayHappen(Rare.CRASH) && client.phase != Phase.DEAD && client.phase != Phase.IDLE) {
                moves.add(move(world, client.name() + " is killed", later -> kill(later, client.number)));
            }
        }
        world.copies.forEach(copy -> moves.add(arrival(world, copy, true)));
        world.notices.forEach(notice -> moves.add(move(world, "the notification arrives: " + notice, later -> {
            later.notices.remove(notice);
            behaviour.receive(later, later.clients.get(notice.client()), notice);
        })));
        moves.add(move(world, "a tick passes", later -> pass(later, Setting.TICK, Setting.TICK)));
        addFaultsOfTheServer(world, moves);
        return moves;
    }

    private static void kill(World world, int number) {
        world.happens(Rare.CRASH);
        Client client = world.clients.get(number);
        world.copies.addAll(client.abandon(request -> true));
        client.rest();
        client.calls = 0;
        client.phase = Phase.DEAD;
    }

    private void addFaultsOfTheServer(World world, List<Move<World>> moves) {
        if (world.mayHappen(Rare.DATA_LOST)) {
            moves.add(move(world, "the server loses all data, and a tick passes", later -> {
                later.happens(Rare.DATA_LOST);
                later.store = new RedisModel(BulkheadView.NOW * 1000);
                pass(later, Setting.TICK, Setting.TICK);
            }));
        }
        for (Part part : Part.values()) {
            Rare eviction = part == Part.HOLDERS ? Rare.HOLDERS_EVICTED : Rare.EVICTED;
            String key = BulkheadView.key(part);
            if (world.mayHappen(eviction) && world.store.names().contains(key)) {
                moves.add(move(world, "the server evicts " + key + ", and a tick passes", later -> {
                    later.happens(eviction);
                    later.store = later.store.copy();
                    later.store.delete(key);
                    pass(later, Setting.TICK, Setting.TICK);
                }));
            }
        }
        if (world.mayHappen(Rare.CLOCK_AHEAD)) {
            moves.add(move(world, "the clock of the server jumps ahead", later -> {
                later.happens(Rare.CLOCK_AHEAD);
                pass(later, 0, Setting.TICK);
            }));
        }
        if (world.mayHappen(Rare.CLOCK_BACK)) {
            moves.add(move(world, "the clock of the server jumps back", later -> {
                later.happens(Rare.CLOCK_BACK);
                pass(later, 0, -Setting.TICK);
            }));
        }
    }

    private Move<World> move(World world, String label, Consumer<World> effect) {
        World next = world.copy();
        effect.accept(next);
        next.notices.removeIf(notice -> !Behaviour.matters(next, notice));
        return new Move<>(label, Canonical.seal(next), List.of());
    }

    /** A request arrives at the server and is executed. */
    private Move<World> arrival(World world, Request request, boolean isCopy) {
        Outcome outcome = store.execute(world, request);
        String sender = world.clients.get(request.client()).name();
        String label = (isCopy ? "an old request of " + sender + " arrives: " : "the request of " + sender + " arrives: ")
                + request
                + " -> " + outcome.reply() + (outcome.notices().isEmpty() ? "" : ", notices " + outcome.notices());
        Move<World> move = move(world, label, later -> {
            later.store = outcome.store();
            later.notices.addAll(outcome.notices());
            for (String id : new BulkheadView(outcome.store()).holders().keySet()) {
                later.lastGranted = Math.max(later.lastGranted, new BulkheadView(outcome.store()).ticketOf(id));
            }
            if (isCopy) {
                later.copies.remove(request);
            } else {
                Client client = later.clients.get(request.client());
                client.outbox.remove(0);
                client.inbox.add(new ReplyInFlight(request, outcome.reply()));
            }
        });
        return new Move<>(move.label(), move.next(), storeRules.broken(world, request, outcome));
    }

    /** Advances the clocks of the clients and of the server. */
    private void pass(World world, long here, long there) {
        world.store = Canonical.later(world.store, there);
        world.later(there);
        world.clients.forEach(client -> client.later(here, there, setting.lease()));
        world.notices.replaceAll(notice -> new Notice(notice.client(), notice.id(), notice.handedOver(),
                notice.ticket(), notice.end() - there));
        world.mapTickets(ticket -> ticket - there * 1000);
        // Dead clients cancel nothing, so the ages of their requests do not matter.
        world.copies.replaceAll(copy -> isDead(world, copy) ? copy : copy.older(here));
        world.copies.removeIf(copy -> copy.age() >= setting.longestDelay());
    }

    private static boolean isDead(World world, Request copy) {
        return world.clients.get(copy.client()).phase == Phase.DEAD;
    }
}
