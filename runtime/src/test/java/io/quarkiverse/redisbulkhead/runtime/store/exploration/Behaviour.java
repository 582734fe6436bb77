package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.LeaseClockModel;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * The behaviour of clients, as in {@code PermitRequest}, {@code WaiterRegistry}, {@code LeaseRenewer} and {@code
 * PermitReturns}, with their {@code LeaseClock}. Timers may fire at any time, or never.
 */
final class Behaviour {

    static final String ATTACHES = "<";

    /** A possible next action of a client. */
    record Choice(String label, Consumer<World> effect) {
    }

    private final Setting setting;

    Behaviour(Setting setting) {
        this.setting = setting;
    }

    List<Choice> choices(World world, Client client) {
        List<Choice> choices = new ArrayList<>();
        int number = client.number;
        switch (client.phase) {
            case IDLE -> {
                if (client.calls > 0) {
                    choices.add(by(number, client.name() + " requests a permit", (later, it) -> begin(it)));
                }
                if (client.calls > 0 && !world.token.isEmpty()) {
                    choices.add(by(number, client.name() + " attaches " + world.token, (later, it) -> attach(later, it)));
                }
            }
            case WAITING -> {
                if (client.polledAgo == Client.NONE && world.mayHappen(Rare.POLL)) {
                    choices.add(by(number, client.name() + " polls", (later, it) -> poll(later, it)));
                }
                choices.add(by(number, client.name() + " sends its last request, because its wait timed out",
                        (later, it) -> sendLastRequest(it)));
                choices.add(by(number, client.name() + " stops waiting", this::leave));
            }
            case HOLDING -> {
                if (client.renewedAgo == Client.NONE && client.leaseLeft > 0 && world.mayHappen(Rare.RENEWAL)) {
                    choices.add(by(number, client.name() + " renews", (later, it) -> renew(later, it)));
                }
                choices.add(by(number, client.name() + " ends its execution", this::leave));
                if (client.leaseLeft > 0 && client.renewedAgo == Client.NONE && world.mayHappen(Rare.DETACHED)) {
                    choices.add(by(number, client.name() + " detaches its permit", (later, it) -> detach(later, it)));
                }
            }
            default -> {
            }
        }
        addTimeouts(world, client, choices);
        return choices;
    }

    private void addTimeouts(World world, Client client, List<Choice> choices) {
        int number = client.number;
        boolean polls = client.phase == Phase.WAITING && client.polledAgo != Client.NONE;
        boolean requests = client.phase == Phase.REQUESTING || client.phase == Phase.LEAVING;
        if (world.mayHappen(Rare.TIMED_OUT) && (requests || polls)) {
            choices.add(by(number, client.name() + " stops waiting for the reply", (later, it) -> {
                later.happens(Rare.TIMED_OUT);
                reclaim(later, it);
            }));
        }
        if (world.mayHappen(Rare.TIMED_OUT) && client.phase == Phase.HOLDING && client.renewedAgo != Client.NONE) {
            choices.add(by(number, client.name() + " stops waiting for the renewal", (later, it) -> {
                later.happens(Rare.TIMED_OUT);
                later.copies.addAll(it.abandon(request -> request.operation() == Operation.RENEW));
                it.renewedAgo = Client.NONE;
            }));
        }
        if (world.mayHappen(Rare.SENT_AGAIN) && !(client.outbox.isEmpty() && client.inbox.isEmpty())
                && client.phase != Phase.DEAD) {
            choices.add(new Choice(client.name() + "'s connection breaks, and it repeats requests without a reply", later -> {
                later.happens(Rare.SENT_AGAIN);
                later.copies.addAll(later.clients.get(number).reconnect());
            }));
        }
    }

    private interface Effect {
        void on(World world, Client client);
    }

    private static Choice by(int number, String label, Effect effect) {
        return new Choice(label, later -> {
            effect.on(later, later.clients.get(number));
        });
    }

    private long place(Client client) {
        if (client.role == Role.TRIES) {
            return 0;
        }
        return client.lastRequest ? 1 : setting.place();
    }

    private void begin(Client client) {
        client.id = Weights.id(setting.weight(client.number), client.name().toLowerCase(java.util.Locale.ROOT) + client.calls);
        client.calls--;
        client.clock = LeaseClockModel.requested();
        client.phase = Phase.REQUESTING;
        client.send(Operation.ACQUIRE, place(client));
    }

    private void attach(World world, Client client) {
        client.id = client.name().toLowerCase(java.util.Locale.ROOT) + client.calls + ATTACHES + world.token;
        client.calls--;
        client.clock = LeaseClockModel.requested();
        client.phase = Phase.ATTACHING;
        client.send(Operation.ATTACH, 0);
    }

    private void detach(World world, Client client) {
        world.happens(Rare.DETACHED);
        client.phase = Phase.DETACHING;
        client.leaseLeft = 0;
        client.send(Operation.DETACH, client.copyMayFollow ? setting.longestDelay() : 0);
    }

    private void requestAgain(Client client) {
        client.clock = client.clock.requestedAgain();
        client.phase = Phase.REQUESTING;
        client.send(Operation.ACQUIRE, place(client));
    }

    private void sendLastRequest(Client client) {
        client.lastRequest = true;
        requestAgain(client);
    }

    private void poll(World world, Client client) {
        world.happens(Rare.POLL);
        client.polledAgo = 0;
        client.send(Operation.POLL, place(client));
    }

    private void renew(World world, Client client) {
        world.happens(Rare.RENEWAL);
        client.renewedAgo = 0;
        client.send(Operation.RENEW, 0);
    }

    /** Returns its permit or place. Replies to earlier requests no longer matter. */
    private void leave(World world, Client client) {
        client.phase = Phase.LEAVING;
        client.leaseLeft = 0;
        client.send(client.ran ? Operation.RELEASE_AFTER : client.copyMayFollow ? Operation.CANCEL : Operation.RELEASE, 0);
    }

    private void reclaim(World world, Client client) {
        world.copies.addAll(client.abandon(request -> true));
        client.phase = Phase.RECLAIMING;
        client.leaseLeft = 0;
        client.send(client.ran ? Operation.RELEASE_AFTER : Operation.CANCEL, 0);
    }

    /** A reply arrives. */
    void receive(World world, Client client, ReplyInFlight inFlight) {
        Reply reply = inFlight.reply();
        client.copyMayFollow |= inFlight.request().again() && inFlight.request().operation() == Operation.ACQUIRE;
        switch (inFlight.request().operation()) {
            case ACQUIRE -> acquired(world, client, reply);
            case ATTACH -> {
                if (reply.what() == Reply.What.LOST) {
                    client.rest();
                } else {
                    // With an expired lease, it behaves like any holder.
                    hold(world, client, client.clock.leaseLeft(setting.lease()));
                }
            }
            case DETACH -> {
                world.token = reply.what() == Reply.What.DONE ? client.id : world.token;
                client.rest();
            }
            case POLL -> polled(world, client, reply);
            case RENEW -> renewed(world, client, reply);
            case RELEASE, CANCEL -> client.rest();
            case RELEASE_AFTER -> {
                if (client.copyMayFollow || client.phase == Phase.RECLAIMING) {
                    client.send(Operation.CANCEL, 0);
                } else {
                    client.rest();
                }
            }
        }
    }

    private void acquired(World world, Client client, Reply reply) {
        if (client.phase != Phase.REQUESTING) {
            // The notification was faster than the reply.
            return;
        }
        switch (reply.what()) {
            case GRANTED -> {
                long left = client.clock.leaseLeft(setting.lease());
                if (left > 0) {
                    hold(world, client, left);
                } else {
                    reclaim(world, client);
                }
            }
            case WAITING -> {
                client.clock = client.clock.answered(BulkheadView.NOW + reply.clock());
                client.ticket = reply.ticket();
                if (client.lastRequest) {
                    leave(world, client);
                } else {
                    client.phase = Phase.WAITING;
                }
            }
            default -> {
                if (client.copyMayFollow) {
                    reclaim(world, client);
                } else {
                    client.rest();
                }
            }
        }
    }

    private static void hold(World world, Client client, long leaseLeft) {
        client.phase = Phase.HOLDING;
        client.leaseLeft = leaseLeft;
        if (world.minHold > 0) {
            client.ran = true;
            world.started(client.id);
        }
    }

    private void polled(World world, Client client, Reply reply) {
        long requestAge = client.polledAgo;
        client.polledAgo = Client.NONE;
        if (client.phase == Phase.WAITING) {
            client.clock = LeaseClockModel.polled(requestAge, BulkheadView.NOW + reply.clock());
        }
        switch (reply.what()) {
            case HANDED_OVER -> handedOver(world, client, reply.end());
            case GONE -> {
                if (client.phase == Phase.WAITING) {
                    queueAgain(client);
                }
            }
            case FREE -> {
                if (client.phase == Phase.WAITING && client.role == Role.WAITS) {
                    requestAgain(client);
                }
            }
            default -> {
            }
        }
    }

    /** With a new id and the old ticket. */
    private void queueAgain(Client client) {
        String id = client.id + "x";
        long ticket = client.ticket;
        client.rest();
        client.id = id;
        client.ticket = ticket;
        client.clock = LeaseClockModel.requested();
        client.phase = Phase.REQUESTING;
        client.send(Operation.ACQUIRE, place(client));
    }

    private void handedOver(World world, Client client, long end) {
        if (client.phase != Phase.REQUESTING && client.phase != Phase.WAITING) {
            return;
        }
        if (setting.minHold() > 0) {
            // A repeated request gets the full lease before the execution starts.
            if (client.phase == Phase.WAITING) {
                requestAgain(client);
            }
            return;
        }
        long left = client.clock.leaseLeft(new HandOver(1, BulkheadView.NOW + end), setting.lease());
        if (left > 0) {
            hold(world, client, left);
        } else if (client.phase == Phase.WAITING) {
            reclaim(world, client);
        }
    }

    private void renewed(World world, Client client, Reply reply) {
        long sentAgo = client.renewedAgo;
        client.renewedAgo = Client.NONE;
        if (client.phase == Phase.HOLDING) {
            client.leaseLeft = client.leaseLeft == 0 || reply.what() == Reply.What.LOST ? 0
                    : Math.max(client.leaseLeft, setting.lease() - sentAgo);
        }
    }

    /** A notification arrives. */
    void receive(World world, Client client, Notice notice) {
        if (!notice.id().equals(client.id)) {
            return;
        }
        if (notice.handedOver()) {
            handedOver(world, client, notice.end());
        } else if (client.phase == Phase.WAITING) {
            requestAgain(client);
        }
    }

    /** Whether a notification can have any effect, now or later. */
    static boolean matters(World world, Notice notice) {
        Client client = world.clients.get(notice.client());
        return notice.id().equals(client.id) && (client.phase == Phase.REQUESTING || client.phase == Phase.WAITING);
    }
}
