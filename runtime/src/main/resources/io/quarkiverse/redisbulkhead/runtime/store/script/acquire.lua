-- Takes a permit if fewer than the limit are held and nobody waits in the queue; else waits for one, if the caller wants to.
-- Asking again with an id that already holds a permit, or waits, answers with that: a lost reply may be asked for again. A permit that is
-- held has its full lease then, because the caller counts it from when it asked.
--
-- id:     of the permit
-- stated: the limit that the caller goes by, unless an operator has set another
-- lease:  for how long the permit shall live, ms
-- fair:   whether to wait in the queue, or else beside it
-- place:  for how long the caller may wait before it polls, ms; 0 for not at all
-- rest:   its mailbox, application, instance and method, one a line
--
-- Returns the answer to an acquire that batch.lua tells.

-- Notes that somebody goes by this limit. Tells, now and then, which other limits were stated lately, separated by commas.
local function stateLimit(limit)
    local last = tonumber(redis.call('HGET', LIMITS, limit))
    if last and now - last < STATED_REFRESHED then
        return ''
    end
    put(override and OVERRIDE_LASTS or STATED_LASTS, 'HSET', LIMITS, limit, whole(now))
    local all = redis.call('HGETALL', LIMITS)
    local others = {}
    for i = 1, #all, 2 do
        if all[i] ~= 'override' and all[i] ~= limit then
            if now - tonumber(all[i + 1]) < STATED_LASTS then
                others[#others + 1] = all[i]
            else
                redis.call('HDEL', LIMITS, all[i])
            end
        end
    end
    return table.concat(others, ',')
end

local function acquire(id, stated, lease, fair, place, rest)
    if isAfterNow(redis.call('ZSCORE', CANCELLED, id)) then
        return -1
    end
    settleOnce()

    if isAfterNow(redis.call('ZSCORE', HOLDERS, id)) then
        put(lease + SLACK, 'ZADD', HOLDERS, 'XX', 'GT', whole(from + lease), id)
        keep(DETAILS, lease + SLACK)
        keepTogether()
        noteTheTime(lease + SLACK)
        local details = read(id)
        return details and details.ticket or 0
    end

    local limit = override or stated
    if redis.call('ZCARD', QUEUE) == 0 and used() < limit then
        local ticket = nextTicket(lease + SLACK)
        hold(id, ticket, lease, from + lease, stated, rest)
        return ticket
    end

    if place == 0 then
        return { limit, nearestLeaseEnd() }
    end

    local ttl = math.max(place, lease) + SLACK
    if not redis.call('ZSCORE', WAITERS, id) then
        local ticket = 0
        if fair then
            ticket = nextTicket(ttl)
            put(ttl, 'ZADD', QUEUE, whole(ticket), id)
        else
            put(ttl, 'ZADD', STANDBY, whole(micros), id)
        end
        describe(ttl, id, ticket, now, lease, stated, rest)
    elseif redis.call('ZSCORE', STANDBY, id) then
        local details = read(id)
        redis.call('ZADD', STANDBY, 'XX', whole((details and details.since or now) * 1000), id)
    end
    put(ttl, 'ZADD', WAITERS, 'GT', whole(now + place), id)
    anybodyWaits = true
    keepTogether()
    noteTheTime(ttl)
    return { limit, nearestLeaseEnd(), from }
end
