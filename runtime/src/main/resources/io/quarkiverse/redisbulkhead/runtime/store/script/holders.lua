-- Tells who holds the unexpired permits, the lease that ends first coming first. Changes nothing.
--
-- KEYS[1] holders    sorted set  permit id -> end of its lease, ms
-- KEYS[2] order      sorted set  permit id -> ticket
-- KEYS[3] ticket     string      the last ticket given (not used)
-- KEYS[4] details    hash        permit id -> since (ms), application, instance, method; one a line
-- KEYS[5] cancelled  sorted set  (not used)
-- ARGV[1] how many to tell, from 0 to 1000
--
-- Reply   {permits in use, {id, end of lease in ms, ticket, details}, ...}

local most = math.min(tonumber(ARGV[1]), 1000)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local reply = { redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf') }
local held = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #held, 2 do
    local ticket = tonumber(redis.call('ZSCORE', KEYS[2], held[i])) or 0
    local details = redis.call('HGET', KEYS[4], held[i]) or ''
    reply[#reply + 1] = { held[i], tonumber(held[i + 1]), ticket, details }
end
return reply
