-- What the scripts share that deal with waiters, and with whatever else there may be: the reading and writing of a bulkhead's state, and the
-- passing on of free permits. Comes after keys.lua.

local AFTER_NOW = '(' .. whole(now)

-- How long an operator's limit outlives its last use.
local OVERRIDE_LASTS = 30 * 24 * 3600 * 1000

-- A waiter keeps its place for this long without a poll. A permit may be handed over to a waiter that has died since, so the first lease is at
-- most this long; a live waiter learns of it in that time and renews it.
local LONGEST_PLACE = 3000
local FIRST_LEASE = 2000

-- After a loss of all data there is a grace period, in which no waiter in the queue is served, so that those with lower tickets can queue again
-- first. It is an entry in the queue, scored by its end in milliseconds, which is less than any ticket. No permit id contains a space.
local GRACE_ENTRY, GRACE_PERIOD = 'grace period', 1250

local lastTicket = redis.call('GET', TICKET)
local override = tonumber(redis.call('HGET', LIMITS, 'override'))
redis.call('ZCARD', HOLDERS)
local queued = redis.call('ZCARD', QUEUE)
redis.call('HLEN', DETAILS)
redis.call('ZCARD', CANCELLED)
redis.call('ZCARD', STANDBY)
local anybodyWaits = redis.call('ZCARD', WAITERS) + queued > 0

-- A whole number that is no larger than a double holds exactly; anything else is somebody else's. The error does not tell the key value
-- of a user, which stands between the percent sign after the name and the brace.
if lastTicket and (not string.match(lastTicket, '^%d+$') or tonumber(lastTicket) >= 9007199254740991) then
    local shown = string.gsub(TICKET, '%%[:#].*}', '%%*}')
    return redis.error_reply('WRONGTYPE ' .. shown .. ' holds no ticket')
end

-- A time to live only ever grows, because a caller with a short lease must not end the keys under one with a long lease. Only that of limits
-- shrinks, when an operator undoes the override.
local function keep(key, ttl)
    if redis.call('PTTL', key) < ttl then
        redis.call('PEXPIRE', key, ttl)
    end
end

-- Writes to a key that shall live for at least that long, and tells how long it lives. The time to live is set right after the write, so
-- that no key can stay behind without one.
local function put(ttl, command, key, ...)
    local left = redis.call('PTTL', key)
    local tooShort = left < ttl
    redis.call(command, key, ...)
    if tooShort then
        redis.call('PEXPIRE', key, ttl)
    end
    return math.max(left, ttl)
end

-- Whose details are those of the dead is told by leases and places, so none of these keys is gone before the details are.
local function keepTogether()
    local ttl = redis.call('PTTL', DETAILS)
    for _, key in ipairs(anybodyWaits and { HOLDERS, QUEUE, WAITERS, STANDBY } or { HOLDERS }) do
        keep(key, ttl)
    end
end

local function used()
    return redis.call('ZCOUNT', HOLDERS, AFTER_NOW, '+inf')
end

local function isAfterNow(score)
    return score and tonumber(score) > now
end

-- The end of the grace period, ms, or nil. A longer one began before the clock was set back, and does not count.
local function gracePeriodEnd()
    local ends = anybodyWaits and tonumber(redis.call('ZSCORE', QUEUE, GRACE_ENTRY) or 0)
    return ends and ends > now and ends <= from + GRACE_PERIOD and ends or nil
end

-- When to ask again if nobody tells anything: when a lease or the grace period ends.
local function nearestLeaseEnd()
    local nearest = redis.call('ZRANGEBYSCORE', HOLDERS, AFTER_NOW, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    local ends = math.min(tonumber(nearest[2]) or math.huge, gracePeriodEnd() or math.huge)
    return ends < math.huge and math.max(1, ends - from) or 0
end

local function setTicket(ttl, ticket)
    lastTicket = ticket
    if redis.call('PTTL', TICKET) < ttl then
        redis.call('SET', TICKET, whole(ticket), 'PX', ttl)
    else
        redis.call('SET', TICKET, whole(ticket), 'KEEPTTL')
    end
end

-- A ticket orders the queue, or is the fencing token of a permit, drawn when that is given. It never falls behind the clock, so that tickets
-- grow even after their key has expired or was flushed.
local function nextTicket(ttl)
    local ticket = math.max((tonumber(lastTicket) or 0) + 1, micros)
    setTicket(ttl, ticket)
    return ticket
end

-- The last ticket tells how late it has been. Whatever makes a lease or a place end later says so there, so that a clock that was set back
-- since is noticed, however long ago a ticket was given. The next ticket is what it would be without.
local function noteTheTime(ttl)
    if (tonumber(lastTicket) or 0) < micros - 1 then
        setTicket(ttl, micros - 1)
    else
        keep(TICKET, ttl)
    end
end

-- A ticket that a waiter was given before it was lost counts as what it can have been at the most.
local function oldTicket(ticket)
    return math.min(ticket, math.max(tonumber(lastTicket) or 0, micros))
end

local function startGracePeriod()
    put(GRACE_PERIOD + SLACK, 'ZADD', QUEUE, whole(from + GRACE_PERIOD), GRACE_ENTRY)
    noteTheTime(GRACE_PERIOD + SLACK)
    anybodyWaits = true
end

local function describe(ttl, id, ticket, since, lease, limit, rest)
    return put(ttl, 'HSET', DETAILS, id, table.concat({ whole(ticket), whole(since), whole(lease), whole(limit), rest }, '\n'))
end

local function parse(text)
    local ticket, since, lease, limit, rest = string.match(text or '', '^(%d+)\n(%d+)\n(%d+)\n(%d+)\n(.*)$')
    if ticket then
        return { ticket = tonumber(ticket), since = tonumber(since), lease = tonumber(lease), limit = tonumber(limit), rest = rest }
    end
end

local function read(id)
    return parse(redis.call('HGET', DETAILS, id))
end

local function tell(details, message)
    redis.pcall('PUBLISH', string.match(details.rest, '^[^\n]*'), message)
end

local function forget(ids)
    redis.call('ZREM', HOLDERS, unpack(ids))
    redis.call('HDEL', DETAILS, unpack(ids))
    if anybodyWaits then
        redis.call('ZREM', QUEUE, unpack(ids))
        redis.call('ZREM', STANDBY, unpack(ids))
        redis.call('ZREM', WAITERS, unpack(ids))
    end
end

-- How much more of that there may be in this call, which may consist of many: rounds of 100 dead, and steps of the passing on of permits.
local roundsLeft, stepsLeft = { [HOLDERS] = 10, [WAITERS] = 10 }, 1000

local function forgetDead(key)
    while roundsLeft[key] > 0 do
        local dead = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, 100)
        if #dead > 0 then
            roundsLeft[key] = roundsLeft[key] - 1
            forget(dead)
        end
        if #dead < 100 then
            return
        end
    end
end

local function hold(id, ticket, lease, ends, limit, rest)
    local together = describe(lease + SLACK, id, ticket, now, lease, limit, rest)
    put(together, 'ZADD', HOLDERS, whole(ends), id)
    if anybodyWaits then
        redis.call('ZREM', QUEUE, id)
        redis.call('ZREM', STANDBY, id)
        redis.call('ZREM', WAITERS, id)
        keepTogether()
    end
end

-- Gives free permits to the first in the queue. Each waiter goes by the limit that it stated itself.
local function handOver()
    if gracePeriodEnd() then
        return
    end
    local inUse = used()
    while stepsLeft > 0 do
        stepsLeft = stepsLeft - 1
        local id = redis.call('ZRANGE', QUEUE, 0, 0)[1]
        if not id then
            return
        end
        local details = read(id)
        if details and isAfterNow(redis.call('ZSCORE', WAITERS, id)) then
            if inUse >= (override or details.limit) then
                return
            end
            local ticket = nextTicket(details.lease + SLACK)
            local ends = from + math.min(details.lease, FIRST_LEASE)
            hold(id, ticket, details.lease, ends, details.limit, details.rest)
            tell(details, 'handed-over ' .. id .. ' ' .. whole(ticket) .. ' ' .. whole(ends))
            inUse = inUse + 1
        else
            forget({ id })
        end
    end
end

-- After the clock was set back, what was to end soon would last until the clock has caught up. From now on nothing lasts longer than it was given for; up to
-- 100 of each a call. This never takes anything from those who renew.
local function shortenAfterSetBack()
    local last = redis.call('ZRANGE', HOLDERS, -100, -1, 'WITHSCORES')
    local ids = {}
    for i = 1, #last, 2 do
        ids[#ids + 1] = last[i]
    end
    local texts = #ids > 0 and redis.call('HMGET', DETAILS, unpack(ids)) or {}
    for i, id in ipairs(ids) do
        local details = parse(texts[i])
        if details and tonumber(last[2 * i]) > from + details.lease then
            redis.call('ZADD', HOLDERS, 'XX', whole(from + details.lease), id)
        end
    end
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', WAITERS, '(' .. whole(from + LONGEST_PLACE), '+inf', 'LIMIT', 0, 100)) do
        redis.call('ZADD', WAITERS, 'XX', whole(from + LONGEST_PLACE), id)
    end
end

-- What each change of a bulkhead begins with, or ends with where it has made permits free.
local settled = false
local function settle()
    if not settled and lastTicket and tonumber(lastTicket) > micros + SET_BACK then
        shortenAfterSetBack()
    end
    settled = true
    forgetDead(HOLDERS)
    if anybodyWaits then
        forgetDead(WAITERS)
        handOver()
    end
end

local function settleOnce()
    if not settled then
        settle()
    end
end

-- How long a waiter that was told of a free permit lets others go first, microseconds. It is back in its turn as soon as it has asked in vain.
local TOLD = 10000000

-- Tells waiters that are not in the queue that there are free permits; one waiter for each.
local function wake(most)
    if not anybodyWaits or most < 1 or redis.call('ZCARD', QUEUE) > 0 then
        return
    end
    local inUse, told = used(), 0
    for _, id in ipairs(redis.call('ZRANGE', STANDBY, 0, 99)) do
        if told == most then
            return
        end
        local details = read(id)
        if details and inUse < (override or details.limit) then
            redis.call('ZADD', STANDBY, 'XX', whole(micros + TOLD), id)
            tell(details, 'free ' .. id)
            inUse = inUse + 1
            told = told + 1
        end
    end
end
