-- Takes a permit if fewer than the limit are held. By the server's clock; one atomic step.
-- Asking again with an id that already holds a permit answers with that permit: a lost reply may be asked for again.
--
-- KEYS[1] holders    sorted set  permit id -> end of its lease, ms
-- KEYS[2] order      sorted set  permit id -> ticket
-- KEYS[3] ticket     string      the last ticket given
-- KEYS[4] details    hash        permit id -> since (ms), application, instance, method; one a line
-- KEYS[5] cancelled  sorted set  permit id -> until when it must not be granted, ms
-- ARGV[1] permit id
-- ARGV[2] limit
-- ARGV[3] lease, ms
-- ARGV[4] application, instance, method; one a line
--
-- Reply   {1, ticket}                                      granted
--         {0, permits in use, ms to the nearest lease end} full
--         {-1}                                             cancelled before it arrived
--
-- Permits whose lease has ended count as free at once, but only 100 are removed at a time: order and details may hold dead ones.
--
-- Every key is read before the first one is written: a key of a foreign type ends the script with nothing changed.

local id, limit, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)

local refusedUntil = tonumber(redis.call('ZSCORE', KEYS[5], id))
if refusedUntil and refusedUntil > now then
    return { -1 }
end

local held = tonumber(redis.call('ZSCORE', KEYS[1], id))
if held and held > now then
    return { 1, tonumber(redis.call('ZSCORE', KEYS[2], id)) }
end

local used = redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')
if used >= limit then
    local nearest = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    return { 0, used, tonumber(nearest[2]) - now }
end

-- A whole number that is no larger than a double holds exactly; anything else is somebody else's.
local last = redis.call('GET', KEYS[3])
if last and (not string.match(last, '^%d+$') or tonumber(last) >= 9007199254740991) then
    return redis.error_reply('WRONGTYPE ' .. KEYS[3] .. ' holds no ticket')
end
-- The ticket never falls behind the clock, so that tickets grow even after this key has expired or was flushed.
local ticket = math.max((tonumber(last) or 0) + 1, micros)

local dead = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)
redis.call('ZCARD', KEYS[2])
redis.call('HLEN', KEYS[4])

if #dead > 0 then
    redis.call('ZREM', KEYS[1], unpack(dead))
    redis.call('ZREM', KEYS[2], unpack(dead))
    redis.call('HDEL', KEYS[4], unpack(dead))
end

-- A time to live only ever grows: a caller with a short lease must not end the keys under one with a long lease. It is set right
-- after each write, so that no key can stay behind without one.
local ttl = lease + 1000
local tooShort = {}
for i = 1, 4 do
    tooShort[i] = redis.call('PTTL', KEYS[i]) < ttl
end
local function keep(i)
    if tooShort[i] then
        redis.call('PEXPIRE', KEYS[i], ttl)
    end
end

if tooShort[3] then
    redis.call('SET', KEYS[3], string.format('%.0f', ticket), 'PX', ttl)
else
    redis.call('SET', KEYS[3], string.format('%.0f', ticket), 'KEEPTTL')
end
redis.call('ZADD', KEYS[1], now + lease, id)
keep(1)
redis.call('ZADD', KEYS[2], ticket, id)
keep(2)
redis.call('HSET', KEYS[4], id, string.format('%.0f', now) .. '\n' .. ARGV[4])
keep(4)
return { 1, ticket }
