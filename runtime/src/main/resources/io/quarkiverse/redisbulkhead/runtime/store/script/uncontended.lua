-- The short way through batch.lua, for what is most frequent: nobody waits, nobody has to, nothing was cancelled, and no lease has ended. It
-- reads, decides on all calls in their order, and only then writes, with one command for all of a kind. Where it finds anything else it has
-- written nothing, and the long way follows, which comes to the same where both can be taken.

local function uncontended()
    local call = redis.call
    if call('EXISTS', QUEUE, CANCELLED, WAITERS, STANDBY) > 0 then
        return
    end

    local count, start = #ARGV, 2 + TERMS * ARGV[1]
    local ids, known, acquires = {}, {}, false
    for i = start, count, 2 do
        local what, id = ARGV[i], ARGV[i + 1]
        if what == 'cancel' or what == 'renew' or known[id] then
            return
        end
        acquires = acquires or what ~= 'release'
        known[id] = true
        ids[#ids + 1] = id
    end

    local lastTicket = call('GET', TICKET)
    local last = lastTicket and tonumber(string.match(lastTicket, '^%d+$')) or 0
    if lastTicket and (last == 0 or last > micros + SET_BACK) then
        return
    end
    local ticket = math.max(last, micros - 1)

    local before = acquires and call('ZCARD', HOLDERS) or #ids
    local ends = before > 0 and call('ZMSCORE', HOLDERS, unpack(ids)) or {}
    local terms = {}
    if acquires then
        if before > 0 and call('ZCOUNT', HOLDERS, '-inf', now) > 0 then
            return
        end
        for number = 1, tonumber(ARGV[1]) do
            local first = 2 + TERMS * (number - 1)
            local stated, lease = ARGV[first], ARGV[first + 1]
            local limits = call('HMGET', LIMITS, 'override', stated)
            if not limits[2] or now - tonumber(limits[2]) >= STATED_REFRESHED then
                return
            end
            terms[tostring(number)] = {
                limit = tonumber(limits[1] or stated),
                lease = tonumber(lease),
                ends = whole(from + tonumber(lease)),
                place = ARGV[first + 3],
                rest = '\n' .. whole(now) .. '\n' .. lease .. '\n' .. stated .. '\n' .. ARGV[first + 4],
            }
        end
    end

    local held, answers = before, { {} }
    local added, described, removed, isRemoved = {}, {}, {}, {}
    local longest, shortest, head = 0, math.huge, nil
    for i, id in ipairs(ids) do
        local what = ARGV[start + 2 * (i - 1)]
        if what == 'release' then
            local isHeld = ends[i] and tonumber(ends[i]) > now
            if isHeld then
                held = held - 1
            end
            removed[#removed + 1] = id
            isRemoved[id] = true
            answers[i + 1] = isHeld and 1 or 0
        else
            local asked = terms[what]
            if ends[i] then
                return
            elseif held < asked.limit then
                held = held + 1
                ticket = ticket + 1
                longest, shortest = math.max(longest, asked.lease), math.min(shortest, asked.lease)
                added[#added + 1] = asked.ends
                added[#added + 1] = id
                described[#described + 1] = id
                described[#described + 1] = whole(ticket) .. asked.rest
                answers[i + 1] = ticket
            elseif asked.place == '0' then
                head = head or before > 0 and call('ZRANGE', HOLDERS, 0, 0, 'WITHSCORES') or {}
                if isRemoved[head[1]] then
                    return
                end
                local nearest = math.min(head[2] and head[2] - from or math.huge, shortest)
                answers[i + 1] = { asked.limit, math.max(1, nearest) }
            else
                return
            end
        end
    end

    -- The first of these writes fails where its key is of a foreign type, or the memory is full.
    if added[1] then
        call('HSET', DETAILS, unpack(described))
    end
    if removed[1] then
        call('HDEL', DETAILS, unpack(removed))
        call('ZREM', HOLDERS, unpack(removed))
    end
    if added[1] then
        call('ZADD', HOLDERS, unpack(added))
        if before > 0 and lastTicket and call('PTTL', DETAILS) >= longest + SLACK then
            -- The holders and the ticket live as long as the details, or longer.
            call('SET', TICKET, whole(ticket), 'KEEPTTL')
        else
            -- With a reserve, so that not each call has to.
            local ttl = longest + 2 * SLACK
            for _, key in ipairs({ DETAILS, HOLDERS }) do
                if call('PTTL', key) < ttl then
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
