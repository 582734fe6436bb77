-- Gives permits back. Removes the ids named and nothing else; an id that is not there is no error.
--
-- KEYS[1] holders    sorted set  permit id -> end of its lease, ms
-- KEYS[2] order      sorted set  permit id -> ticket
-- KEYS[3] ticket     string      the last ticket given (not used)
-- KEYS[4] details    hash        permit id -> who holds it
-- KEYS[5] cancelled  sorted set  permit id -> until when it must not be granted, ms
-- ARGV[1] 0, or for how many ms the ids must not be granted: for an acquire that may still be on its way
-- ARGV[2..] permit ids, at most 100
--
-- Reply   how many of them were unexpired permits
--
-- Every key is read before the first one is written: a key of a foreign type ends the script with nothing changed.

local block = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local ids = {}
local live = 0
for i = 2, math.min(#ARGV, 101) do
    ids[#ids + 1] = ARGV[i]
    local ends = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i]))
    if ends and ends > now then
        live = live + 1
    end
end
redis.call('ZCARD', KEYS[2])
redis.call('HLEN', KEYS[4])
redis.call('ZCARD', KEYS[5])

redis.call('ZREM', KEYS[1], unpack(ids))
redis.call('ZREM', KEYS[2], unpack(ids))
redis.call('HDEL', KEYS[4], unpack(ids))
if block > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
    local tooShort = redis.call('PTTL', KEYS[5]) < block
    for i = 1, #ids do
        redis.call('ZADD', KEYS[5], now + block, ids[i])
    end
    if tooShort then
        redis.call('PEXPIRE', KEYS[5], block)
    end
end
return live
