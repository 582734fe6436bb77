-- Lengthens leases. Never shortens one, and never brings back what is not held any more.
--
-- KEYS    as in bulkhead.lua; writes holders and ticket; lengthens the life of all but cancelled and limits
-- ARGV    permit id, lease in ms, and so on in pairs; at most 500 of them
--
-- Reply   the ids that were not held any more

local longest = 0
for i = 2, math.min(#ARGV, 1000), 2 do
    longest = math.max(longest, tonumber(ARGV[i]))
end
-- First, and always: a server whose memory is full lets a script that has begun to write go on, and this write needs no memory.
redis.call('PEXPIRE', HOLDERS, math.max(redis.call('PTTL', HOLDERS), longest + SLACK))

local gone = {}
for i = 1, math.min(#ARGV, 1000), 2 do
    if isAfterNow(redis.call('ZSCORE', HOLDERS, ARGV[i])) then
        redis.call('ZADD', HOLDERS, 'XX', 'GT', whole(from + tonumber(ARGV[i + 1])), ARGV[i])
    else
        gone[#gone + 1] = ARGV[i]
    end
end
if #gone < #ARGV / 2 then
    keep(DETAILS, longest + SLACK)
    keepTogether()
    noteTheTime(longest + SLACK)
end
return gone
