-- Gives permits and places among the waiters back. Removes the ids named and nothing else; an id that is not there is no error. What is free
-- by that goes to those who wait.
--
-- KEYS    as in bulkhead.lua; may write all but limits
-- ARGV[1] 0, or for how many ms the ids must not be granted: for an acquire that may still be on its way
-- ARGV[2..] permit ids, at most 100
--
-- Reply   how many of them were unexpired permits

local block = tonumber(ARGV[1])
local ids = {}
local live = 0
local left = 0
for i = 2, math.min(#ARGV, 101) do
    ids[#ids + 1] = ARGV[i]
    if isAfterNow(redis.call('ZSCORE', HOLDERS, ARGV[i])) then
        live = live + 1
    elseif anybodyWaits and redis.call('ZSCORE', STANDBY, ARGV[i]) then
        left = 1
    end
end

forget(ids)
if block > 0 then
    redis.call('ZREMRANGEBYSCORE', CANCELLED, '-inf', now)
    for i = 1, #ids do
        put(block + SLACK, 'ZADD', CANCELLED, 'GT', whole(now + block), ids[i])
    end
end
settle()
-- A waiter who leaves may have been told of a free permit, and passes that on.
wake(math.max(live, left))
return live
