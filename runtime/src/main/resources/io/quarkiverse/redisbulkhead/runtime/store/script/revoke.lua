-- Takes a permit away from its holder, and tells it.
--
-- ARGV[1] permit id
--
-- Reply   1, or 0 when it was not held

local id = ARGV[1]
if not isAfterNow(redis.call('ZSCORE', HOLDERS, id)) then
    return 0
end
local details = read(id)
forget({ id })
if details then
    tell(details, 'revoked ' .. id)
end
settle()
wake(1)
return 1
