-- Lengthens leases. Never shortens one, and never brings back what is not held any more. Each id is told to be held, 1, or not, 0.
--
-- leases: permit id, for how long it shall live from now in ms, and so on in pairs

local function renew(leases)
    local longest = 0
    for i = 2, #leases, 2 do
        longest = math.max(longest, tonumber(leases[i]))
    end
    -- First, and always: a server whose memory is full lets a script that has begun to write go on, and this write needs no memory.
    redis.call('PEXPIRE', HOLDERS, math.max(redis.call('PTTL', HOLDERS), longest + SLACK))

    local answers, held = {}, false
    for i = 1, #leases, 2 do
        if isAfterNow(redis.call('ZSCORE', HOLDERS, leases[i])) then
            redis.call('ZADD', HOLDERS, 'XX', 'GT', whole(from + tonumber(leases[i + 1])), leases[i])
            answers[#answers + 1] = 1
            held = true
        else
            answers[#answers + 1] = 0
        end
    end
    if held then
        keep(DETAILS, longest + SLACK)
        keepTogether()
        noteTheTime(longest + SLACK)
    end
    return answers
end
