-- Takes a permit if fewer than the limit are held and nobody waits in the queue; else waits for one, if the caller wants to.
-- Asking again with an id that already holds a permit, or waits, answers with that: a lost reply may be asked for again. A permit that is
-- held has its full lease then, because the caller counts it from when it asked.
--
-- KEYS    as in bulkhead.lua; may write all but cancelled
-- ARGV[1] permit id
-- ARGV[2] limit
-- ARGV[3] lease, ms
-- ARGV[4] 1 to wait in the queue, 0 to wait beside it
-- ARGV[5] for how long the caller may wait before it polls, ms; 0: it does not wait
-- ARGV[6] mailbox, application, instance, method; one a line
--
-- Reply   {1, ticket, others}                                                    granted
--         {0, limit in force, ms to the nearest lease end, others}               full
--         {2, limit in force, ms to the nearest lease end, server time, others}  waiting
--         {-1}                                                                   cancelled before it arrived
--         where others are limits that other callers stated within the last minute, separated by commas; told now and then only

local id, stated, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local fair, place, rest = ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6]
local STATED_LASTS, STATED_REFRESHED = 60000, 5000

local function stateLimit()
    local last = tonumber(redis.call('HGET', LIMITS, ARGV[2]))
    if last and now - last < STATED_REFRESHED then
        return ''
    end
    put(override and OVERRIDE_LASTS or STATED_LASTS, 'HSET', LIMITS, ARGV[2], whole(now))
    local all = redis.call('HGETALL', LIMITS)
    local others = {}
    for i = 1, #all, 2 do
        if all[i] ~= 'override' and all[i] ~= ARGV[2] then
            if now - tonumber(all[i + 1]) < STATED_LASTS then
                others[#others + 1] = all[i]
            else
                redis.call('HDEL', LIMITS, all[i])
            end
        end
    end
    return table.concat(others, ',')
end

if isAfterNow(redis.call('ZSCORE', CANCELLED, id)) then
    return { -1 }
end
settle()

if isAfterNow(redis.call('ZSCORE', HOLDERS, id)) then
    put(lease + SLACK, 'ZADD', HOLDERS, 'XX', 'GT', whole(from + lease), id)
    keep(DETAILS, lease + SLACK)
    keepTogether()
    noteTheTime(lease + SLACK)
    local details = read(id)
    return { 1, details and details.ticket or 0, stateLimit() }
end

local limit = override or stated
if redis.call('ZCARD', QUEUE) == 0 and used() < limit then
    local ticket = nextTicket(lease + SLACK)
    hold(id, ticket, lease, from + lease, stated, rest)
    return { 1, ticket, stateLimit() }
end

if place == 0 then
    return { 0, limit, nearestLeaseEnd(), stateLimit() }
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
return { 2, limit, nearestLeaseEnd(), from, stateLimit() }
