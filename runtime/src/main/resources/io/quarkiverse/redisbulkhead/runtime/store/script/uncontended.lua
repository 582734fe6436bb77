-- The short way through batch.lua, for what is most frequent: nobody waits, nobody has to, nobody's permit was cancelled, and no lease has ended. It
-- reads, decides on all calls in their order, and only then writes, with one command for all of a kind. Where it finds anything else it has
-- written nothing, or undone it, and the long way follows, which comes to the same where both can be taken. Comes after keys.lua.
--
-- KEYS    as in keys.lua; may write holders, ticket and details
-- ARGV    as in batch.lua
--
-- Reply   as in batch.lua, the limits that were stated never among it

-- Where the terms of acquires begin, and of how many parts each is, see batch.lua.
local FIRST_TERMS, TERMS = 3, 5

-- Returns the reply, or nil where the long way has to be taken.
local function uncontended()
    local call = redis.call
    if ARGV[2] ~= '1' then
        return
    end
    local anyCancelled = call('EXISTS', QUEUE, CANCELLED, WAITERS, STANDBY) > 0
    if anyCancelled and call('EXISTS', QUEUE, WAITERS, STANDBY) > 0 then
        return
    end

    local start, removed, released, asking = FIRST_TERMS + TERMS * ARGV[1], {}, 0, {}
    local count = (#ARGV - start + 1) / 2
    for i = start, #ARGV, 2 do
        local what = ARGV[i]
        if what == 'release' then
            released = released + 1
            removed[released] = ARGV[i + 1]
        elseif what == 'cancel' or what == 'renew' or what == 'queue' then
            return
        elseif anyCancelled then
            asking[#asking + 1] = ARGV[i + 1]
        end
    end
    local acquires = count > released
    if asking[1] then
        for _, isCancelled in ipairs(call('ZMSCORE', CANCELLED, unpack(asking))) do
            if isCancelled then
                return
            end
        end
    elseif anyCancelled then
        call('ZCARD', CANCELLED)
    end

    local lastTicket = call('GET', TICKET)
    local last = lastTicket and tonumber(string.match(lastTicket, '^%d+$')) or 0
    if lastTicket and (last == 0 or last > micros + SET_BACK) then
        return
    end
    local ticket = math.max(last, micros - 1)

    local before = acquires and call('ZCARD', HOLDERS) or released
    local ends = before > 0 and released > 0 and call('ZMSCORE', HOLDERS, unpack(removed)) or {}
    if acquires and before > 0 and call('ZCOUNT', HOLDERS, '-inf', now) > 0 then
        return
    end

    local terms, longest = {}, 0
    for number = 1, tonumber(ARGV[1]) do
        local first = FIRST_TERMS + TERMS * (number - 1)
        local stated, lease = ARGV[first], tonumber(ARGV[first + 1])
        local limits = call('HMGET', LIMITS, 'override', stated)
        if not limits[2] or now - tonumber(limits[2]) >= STATED_REFRESHED then
            return
        end
        longest = math.max(longest, lease)
        terms[tostring(number)] = {
            limit = tonumber(limits[1] or stated),
            lease = lease,
            ends = whole(from + lease),
            place = ARGV[first + 3],
            rest = '\n' .. whole(now) .. '\n' .. ARGV[first + 1] .. '\n' .. stated .. '\n' .. ARGV[first + 4],
        }
    end

    local held, answers = before, { {} }
    local added, described, granted, gone, shortest = {}, {}, 0, 0, math.huge
    local rejected, head = {}, nil
    for i = 1, count do
        local what = ARGV[start + 2 * i - 2]
        if what == 'release' then
            gone = gone + 1
            -- With acquires beside it, it is known that none has ended.
            local isHeld = ends[gone] and (acquires or tonumber(ends[gone]) > now)
            if isHeld then
                held = held - 1
            end
            answers[i + 1] = isHeld and 1 or 0
        else
            local asked = terms[what]
            if held < asked.limit then
                local id = ARGV[start + 2 * i - 1]
                held, shortest = held + 1, math.min(shortest, asked.lease)
                ticket = ticket + 1
                added[granted + 1], added[granted + 2] = asked.ends, id
                described[granted + 1], described[granted + 2] = id, whole(ticket) .. asked.rest
                granted = granted + 2
                answers[i + 1] = ticket
            elseif asked.place == '0' then
                rejected[#rejected + 1] = ARGV[start + 2 * i - 1]
                -- The first lease that ends is of before, and still there, or was granted here.
                head = head or before > 0 and call('ZRANGE', HOLDERS, 0, 0, 'WITHSCORES') or {}
                for k = 1, gone do
                    if removed[k] == head[1] then
                        return
                    end
                end
                local nearest = math.min(head[2] and head[2] - from or math.huge, shortest)
                answers[i + 1] = { asked.limit, math.max(1, nearest) }
            else
                return
            end
        end
    end

    -- Who asks again for what it holds is told so, the long way.
    if rejected[1] and before > 0 then
        for _, isHeld in ipairs(call('ZMSCORE', HOLDERS, unpack(rejected))) do
            if isHeld then
                return
            end
        end
    end

    -- The first of these writes fails when the memory is full.
    if granted > 0 then
        call('HLEN', DETAILS)
        if call('ZADD', HOLDERS, 'NX', unpack(added)) < granted / 2 then
            -- Somebody asks again, and was not rejected: undone.
            for i = 2, granted, 2 do
                if not call('HGET', DETAILS, added[i]) then
                    call('ZREM', HOLDERS, added[i])
                end
            end
            return
        end
        call('HSET', DETAILS, unpack(described))
    end
    if released > 0 then
        call('HDEL', DETAILS, unpack(removed))
        call('ZREM', HOLDERS, unpack(removed))
    end
    if granted > 0 then
        if before > 0 and lastTicket and call('PTTL', DETAILS) >= longest + SLACK then
            -- The holders and the ticket live as long as the details, or longer.
            call('SET', TICKET, whole(ticket), 'KEEPTTL')
        else
            -- With a reserve, so that not each call has to.
            local ttl = longest + 2 * SLACK
            for _, key in ipairs({ DETAILS, HOLDERS }) do
                if before == 0 or call('PTTL', key) < ttl then
                    call('PEXPIRE', key, ttl)
                end
            end
            call('SET', TICKET, whole(ticket), 'PX', math.max(ttl, lastTicket and call('PTTL', TICKET) or 0))
        end
    end
    return answers
end

local answers = uncontended()
if answers then
    return answers
end
