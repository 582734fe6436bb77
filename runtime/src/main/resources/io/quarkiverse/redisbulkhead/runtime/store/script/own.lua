-- Returns the unexpired permits that Redis keeps for a process, in steps. Changes nothing.
--
-- KEYS    as in keys.lua; writes nothing
-- ARGV[1] the mailbox of the process
-- ARGV[2] how many holders have been looked at
-- ARGV[3] how many to look at, from 1
--
-- Reply   {how many of them there were, permit id, ...}

local seen = redis.call('ZRANGE', HOLDERS, ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
local own = { #seen / 2 }
local ids = {}
for i = 1, #seen, 2 do
    if isAfterNow(seen[i + 1]) then
        ids[#ids + 1] = seen[i]
    end
end
local texts = #ids > 0 and redis.call('HMGET', DETAILS, unpack(ids)) or {}
for i, id in ipairs(ids) do
    local details = parse(texts[i])
    if details and string.match(details.rest, '^[^\n]*') == ARGV[1] then
        own[#own + 1] = id
    end
end
return own
