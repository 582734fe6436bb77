-- Tells who holds the unexpired permits, the lease that ends first coming first, and who waits, those in the queue first. Changes nothing.
--
-- KEYS    as in keys.lua; writes nothing
-- ARGV[1] how many of each to tell, from 0
--
-- Reply   {permits in use, waiters, limit set by an operator or 0, {limit, when last stated, ...}, server time,
--          {{id, end of lease, details}, ...}, {{id, end of place, details}, ...}}

local most = tonumber(ARGV[1])

local holders = {}
local held = redis.call('ZRANGEBYSCORE', HOLDERS, AFTER_NOW, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #held, 2 do
    holders[#holders + 1] = { held[i], held[i + 1], redis.call('HGET', DETAILS, held[i]) or '' }
end

local waiters, listed = {}, {}
local function list(ids)
    for _, id in ipairs(ids) do
        local ends = redis.call('ZSCORE', WAITERS, id)
        if #waiters < most and not listed[id] and isAfterNow(ends) then
            listed[id] = true
            waiters[#waiters + 1] = { id, ends, redis.call('HGET', DETAILS, id) or '' }
        end
    end
end
if most > 0 then
    -- One more, as the first may be the grace period.
    list(redis.call('ZRANGE', QUEUE, 0, most))
    if #waiters < most then
        list(redis.call('ZRANGEBYSCORE', WAITERS, AFTER_NOW, '+inf', 'LIMIT', 0, most))
    end
end

local stated = {}
local all = redis.call('HGETALL', LIMITS)
for i = 1, #all, 2 do
    if all[i] ~= 'override' then
        stated[#stated + 1] = all[i]
        stated[#stated + 1] = all[i + 1]
    end
end

local waiting = redis.call('ZCOUNT', WAITERS, AFTER_NOW, '+inf')
return { used(), waiting, override or 0, stated, whole(now), holders, waiters }
