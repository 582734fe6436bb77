-- Shows that waiters are alive, and tells what has become of them.
--
-- KEYS    as in keys.lua; may write all but cancelled and limits
-- ARGV[1] limit
-- ARGV[2..] permit id, for how long its place shall live in ms, and so on in pairs; at most 500 of them
--
-- Reply   {server time, free permits outside of the queue, ms to the nearest lease end, {id, ticket, end of lease, ... handed over}, {id, ... gone}}

local longest = 0
for i = 2, math.min(#ARGV, 1001), 2 do
    local place = tonumber(ARGV[i + 1])
    redis.call('ZADD', WAITERS, 'XX', 'GT', whole(now + place), ARGV[i])
    longest = math.max(longest, place)
end
for _, key in ipairs({ WAITERS, QUEUE, STANDBY, DETAILS }) do
    keep(key, longest + SLACK)
end
keepTogether()
settle()
if anybodyWaits then
    noteTheTime(longest + SLACK)
end

local handedOver, gone = {}, {}
for i = 2, math.min(#ARGV, 1001), 2 do
    local ends = redis.call('ZSCORE', HOLDERS, ARGV[i])
    if isAfterNow(ends) then
        local details = read(ARGV[i])
        for _, part in ipairs({ ARGV[i], whole(details and details.ticket or 0), ends }) do
            handedOver[#handedOver + 1] = part
        end
    elseif not redis.call('ZSCORE', WAITERS, ARGV[i]) then
        gone[#gone + 1] = ARGV[i]
    end
end

local free = 0
if redis.call('ZCARD', QUEUE) == 0 then
    free = math.max(0, (override or tonumber(ARGV[1])) - used())
end
return { from, free, nearestLeaseEnd(), handedOver, gone }
