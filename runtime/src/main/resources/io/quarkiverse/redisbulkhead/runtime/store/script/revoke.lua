-- Takes a permit away from its holder, and tells it.
--
-- KEYS    as in keys.lua; may write all but cancelled and limits
-- ARGV[1] permit id
--
-- Reply   1, or 0 when it was not held

local id = ARGV[1]
local held = isAfterNow(redis.call('ZSCORE', HOLDERS, id))
if held then
    local details = read(id)
    forget({ id })
    if details then
        tell(details, 'revoked ' .. id)
    end
end
settle()
if held then
    wake(1)
end
return held and 1 or 0
