-- Lengthens leases. Never shortens one, and never brings back what is not held any more.
--
-- KEYS    as in bulkhead.lua; writes holders; lengthens the life of details and ticket
-- ARGV    permit id, lease in ms, and so on in pairs; at most 500 of them
--
-- Reply   the ids that were not held any more

local gone = {}
local longest = 0
for i = 1, math.min(#ARGV, 1000), 2 do
    local lease = tonumber(ARGV[i + 1])
    if isAfterNow(redis.call('ZSCORE', HOLDERS, ARGV[i])) then
        redis.call('ZADD', HOLDERS, 'XX', 'GT', whole(now + lease), ARGV[i])
        longest = math.max(longest, lease)
    else
        gone[#gone + 1] = ARGV[i]
    end
end
if longest > 0 then
    keep(HOLDERS, longest + SLACK)
    keep(DETAILS, longest + SLACK)
    keep(TICKET, longest + SLACK)
end
return gone
