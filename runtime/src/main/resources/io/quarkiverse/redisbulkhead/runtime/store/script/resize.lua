-- Sets the limit for all callers, whatever they state, or undoes that.
--
-- KEYS    as in keys.lua; may write all but cancelled
-- ARGV[1] the limit; 0 to undo
--
-- Reply   1 if a limit was set before, else 0

local before = override and 1 or 0
override = tonumber(ARGV[1])
if override > 0 then
    put(OVERRIDE_LASTS, 'HSET', LIMITS, 'override', ARGV[1])
else
    override = nil
    redis.call('HDEL', LIMITS, 'override')
    redis.call('PEXPIRE', LIMITS, STATED_LASTS)
end
settle()
wake(100)
return before
