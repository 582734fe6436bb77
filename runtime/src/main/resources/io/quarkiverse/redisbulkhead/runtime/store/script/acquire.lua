-- Takes a permit if fewer than the limit are held and nobody waits in the queue; else waits for one, if the caller wants to.
-- Asking again with an id that already holds a permit, or waits, answers with that: a lost reply may be asked for again. A permit that is
-- held has its full lease then, because the caller counts it from when it asked.
--
-- id:     of the permit
-- stated: the limit that the caller goes by, unless an operator has set another
-- lease:  for how long the permit shall live, ms
-- fair:   whether to wait in the queue, or else beside it
-- ticket: of a fair waiter that the server has lost: the one it had, so that it keeps its order; else 0
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

local function isNext(ticket)
    local first = redis.call('ZRANGE', QUEUE, 0, 0, 'WITHSCORES')
    return not first[2] or ticket > 0 and tonumber(first[2]) > ticket and not gracePeriodEnd()
end

local function acquire(id, ticket, stated, lease, fair, place, rest)
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
    local old = fair and oldTicket(ticket) or 0
    if old > 0 and not lastTicket and redis.call('ZCARD', QUEUE) == 0 then
        startGracePeriod()
    end
    if used() < limit and isNext(old) then
        local token = nextTicket(lease + SLACK)
        hold(id, token, lease, from + lease, stated, rest)
        return token
    end

    if place == 0 then
        return { limit, nearestLeaseEnd() }
    end

    local ttl = math.max(place, lease) + SLACK
    if not redis.call('ZSCORE', WAITERS, id) then
        local queuedWith = 0
        if fair then
            queuedWith = old > 0 and old or nextTicket(ttl)
            put(ttl, 'ZADD', QUEUE, whole(queuedWith), id)
            if queuedWith > (tonumber(lastTicket) or 0) then
                setTicket(ttl, queuedWith)
            end
        else
            put(ttl, 'ZADD', STANDBY, whole(micros), id)
        end
        describe(ttl, id, queuedWith, now, lease, stated, rest)
    elseif redis.call('ZSCORE', STANDBY, id) then
        local details = read(id)
        redis.call('ZADD', STANDBY, 'XX', whole((details and details.since or now) * 1000), id)
    end
    put(ttl, 'ZADD', WAITERS, 'GT', whole(now + place), id)
    anybodyWaits = true
    keepTogether()
    noteTheTime(ttl)
    return { limit, nearestLeaseEnd(), from, tonumber(redis.call('ZSCORE', QUEUE, id) or 0) }
end
