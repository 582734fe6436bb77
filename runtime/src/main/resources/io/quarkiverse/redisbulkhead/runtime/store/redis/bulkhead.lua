-- One bulkhead: load what the calls need, apply them in their order on tables, write the difference. There is no other way through it.
--
-- KEYS[1] holders    sorted set  permit id -> end of its lease, ms. The truth: nothing is counted beside it. A permit of weight n has n
--                                entries: '<id>', '<id> 2' to '<id> n'. The first one tells whether it is held.
-- KEYS[2] state      hash        'last ticket', us; 'kept until', ms, until which all keys live at least; 'set limit', by an operator;
--                                'declared limits', see below; 'alive <process>' -> until when, ms; permit id -> record
-- KEYS[3] queue      sorted set  permit id -> ticket: the fair waiters; 'grace period' -> its end, ms, which is less than any ticket
-- KEYS[4] standby    sorted set  permit id -> turn, us: the other waiters
-- KEYS[5] cancelled  sorted set  permit id -> until when it must not be granted, ms
--
-- A record has eight lines: token of a holder or ticket of a waiter; since, ms; lease, ms; limit; process; application; instance; method.
-- The weight is part of the id, so that no lost record changes it: '*3*abc' has weight 3; without such a start it is 1.
-- A permit that was released and stays taken has another id, which ends in '.released', and '{released}' in place of the process. One
-- that was detached has '{detached}' and the digest of its secret there. No process has braces in its name.
-- A process is named by the channel on which it receives messages: 'handed-over <id> <token> <end of lease>', 'free <id>', 'revoked <id>'.
--
-- ARGV[1] the process that calls; ARGV[2] number of terms; ARGV[3] 1 if any permit id that follows tells a weight, else 0
-- then    the terms: limit; lease, ms; for how long the process is alive without a poll, ms, 0 for a caller that does not wait; 1 to wait in
--         the queue, 0 on standby; the record from the line break before the lease on
-- then    the calls:
--         number of its terms, permit id                   acquire
--         'queue', ticket, number of its terms, permit id  acquire of a waiter that was lost, with the ticket it had
--         'release', permit id
--         'release after', ms for which it stays taken from its start on, permit id
--         'cancel', ms for which they must not be granted, number of ids, permit ids
--         'renew', permit id, lease in ms
--         'poll', ms for which the process is alive, limit, number of ids, permit ids
--         'revoke', permit id
--         'detach', permit id, lease in ms, digest of the secret, ms for which copies of its acquire must not be granted, or 0
--         'attach', new permit id, id of the detached permit, digest of the secret, lease in ms, for how many ms from its start it may be
--         held at most, or 0, the record from the line break before the lease on
--         'resize', limit, or 0 to undo
--
-- Reply   one text, because Redis takes long to write a nested list. A line with the number of notices, a line for each of them: a message
--         for this process, or 'limits <declared> <others>', now and then. Then a line for each permit id, resize or poll:
--         acquire: token; or 'limit, ms to the nearest lease end' when full, or heavier than the limit; or these and 'server time, ticket or 0'
--                  when waiting; -1 if cancelled
--         attach:  'token, ms since the permit started'; or 0 when it is gone
--         poll:    'server time, free permits, ms to the nearest lease end, number of handed over', 'id, token, end of lease' for each of
--                  these, and the ids that are gone
--         others:  1 if it was, or is, a live permit, or there was a set limit; else 0
--         The words of a line have spaces between them, and no commas.
--
-- Each key is read before any is written, so a key of a foreign type stops the script with nothing changed. Numbers go to Redis as they
-- are: it writes all their digits, which tostring does not.

local KEYS, ARGV, call, format, match, concat, unpack, tonumber = KEYS, ARGV, redis.call, string.format, string.match, table.concat, unpack, tonumber
local HOLDERS, STATE, QUEUE, STANDBY, CANCELLED = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local floor, max, min, huge, byte = math.floor, math.max, math.min, math.huge, string.byte

-- Keys outlive what they hold by so much; all in milliseconds, unless it says otherwise.
local SLACK = 1000
local LIMIT_SET_LASTS, DECLARED_LASTS, DECLARED_REFRESHED, DECLARED_MOST = 30 * 24 * 3600 * 1000, 60000, 5000, 8
-- A permit may be handed over to a waiter that has died since, so the first lease is short. A live waiter learns of it and renews it.
local FIRST_LEASE, LONGEST_PLACE = 2000, 3000
-- After a loss of data no waiter in the queue is served for so long, so that those with lower tickets can queue again first.
local GRACE, GRACE_LASTS = 'grace period', 1250
-- No ticket is less, so that none comes before the grace period in the queue. As microseconds this is a day in 1970, as milliseconds in 2286.
local SMALLEST_TICKET = 10000000000000
-- Microseconds. A waiter that was notified of a free permit lets others go first for TOLD. Where the last ticket is ahead of the clock by more
-- than SET_BACK, the clock was set back.
local TOLD, SET_BACK = 10000000, 1000000
local RELEASED, DETACHED = '{released}', '{detached}'
-- How many waiters a call removes and serves together, how many it reads at once, and at how many it looks to tell of a free permit.
local MOST, CHUNK, LOOKS = 1000, 100, 100
-- What ids begin with that tell a weight; the greatest weight; how many words of a command are unpacked at once, an even number.
local STAR, HEAVIEST, WORDS = 42, 1000, 4000
-- Up to 128 short entries of a sorted set are a list, which Redis walks for each of them. A long entry turns it into a skip list, for as long as
-- the key exists. So a set that grows beyond FEW has one for a moment.
local FEW, LONG = 16, string.rep('-', 65)

local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
-- What ends by now has ended. What ends so long after `from` has had its full time.
local now = floor(micros / 1000)
local from, nowText = micros > now * 1000 and now + 1 or now, format('%d', now)
local fromText = from == now and nowText or format('%d', from)
local me = ARGV[1]

-- Whether any permit that this is about may weigh more than 1. As most do not, weights are not looked up without it.
local heavy = ARGV[3] == '1'
local function weigh(id)
    if byte(id) ~= STAR then
        return 1
    end
    heavy = true
    return max(1, min(tonumber(match(id, '^%*(%d%d?%d?%d?)%*')) or 1, HEAVIEST))
end

---- Load

local firstCall, most, i, asked, removed = 4 + 5 * ARGV[2], #ARGV, 4 + 5 * ARGV[2], 4, 0
local fields, scored, renews, plain = { 'last ticket', 'kept until', 'set limit', 'declared limits' }, {}, false, true
while i <= most do
    local what = ARGV[i]
    if what == 'release' then
        removed = removed + 1
        scored[removed] = ARGV[i + 1]
        i = i + 2
    elseif what == '1' then
        asked = asked + 1
        fields[asked] = ARGV[i + 1]
        i = i + 2
    elseif what == 'renew' then
        renews, removed = true, removed + 1
        scored[removed] = ARGV[i + 1]
        i = i + 3
    elseif what == 'cancel' or what == 'poll' then
        plain, i = false, what == 'poll' and i + 1 or i
        for k = i + 3, i + 2 + ARGV[i + 2] do
            removed = removed + 1
            scored[removed] = ARGV[k]
        end
        i = i + 3 + ARGV[i + 2]
    elseif what == 'resize' then
        plain, i = false, i + 2
    elseif what == 'detach' then
        plain, asked = false, asked + 1
        fields[asked] = ARGV[i + 1]
        i = i + 5
    elseif what == 'attach' then
        plain, asked = false, asked + 2
        fields[asked - 1], fields[asked] = ARGV[i + 1], ARGV[i + 2]
        i = i + 7
    else
        if what == 'queue' then
            plain, i = false, i + 2
        elseif what == 'revoke' then
            plain = false
        elseif what == 'release after' then
            plain, i, removed = false, i + 1, removed + 1
            scored[removed] = ARGV[i + 1] .. '.released'
        end
        asked = asked + 1
        fields[asked] = ARGV[i + 1]
        i = i + 2
    end
end

local others = call('EXISTS', QUEUE, STANDBY, CANCELLED)
local state = call('HMGET', STATE, unpack(fields))
local last, kept, resizedTo, declared = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or nil), state[4] or ''
local lost, ticketBefore = not state[1], last
-- Where waiters were lost, a renewal deals with that, because it writes the last ticket, which hides the loss from the next call.
local onlyRenews = renews and plain and asked == 4 and removed * 3 == most - firstCall + 1 and not (lost and others > 0)
if not (last and last >= 0 and last < 9007199254740991 and last % 1 == 0) then
    -- The error does not tell the key value of a user, which stands between the percent sign after the name and the brace.
    return redis.error_reply('WRONGTYPE ' .. string.gsub(STATE, '%%[:#].*}', '%%*}') .. ' does not contain a ticket')
end

-- Of ids: the end of the lease where it is live; the record of those who ask again. Then what changes, as it is to be written: who goes;
-- who gets a permit, with the end of its lease, and its record beside it; whose lease ends at another time.
local ends, known = {}, {}
local gone, went, added, described, came, extended, moved = {}, 0, {}, {}, 0, {}, 0
-- Of those who go: the ones that were no permits, and so have no further entries.
local wasNoPermit = {}
local size, held, ended = nil, 0, 0
if asked > 4 or not plain or others > 0 and not onlyRenews then
    size = call('ZCARD', HOLDERS)
    ended = size > 0 and call('ZCOUNT', HOLDERS, '-inf', nowText) or 0
    held = size - ended
end
local room = plain and huge or -1
for k = 4, plain and firstCall - 5 or 0, 5 do
    room = min(room, resizedTo or tonumber(ARGV[k]))
end
local freed, wanted = removed, asked - 4
for k = 5, heavy and asked or 0 do
    wanted = wanted + weigh(fields[k]) - 1
end
local isSimple = others == 0 and held + wanted <= room and last <= micros + SET_BACK
for k = 5, asked do
    if state[k] or not isSimple then
        known[fields[k]] = state[k]
        removed = removed + 1
        scored[removed] = fields[k]
    end
end
if removed > 0 and size ~= 0 then
    local scores = call('ZMSCORE', HOLDERS, unpack(scored))
    for k = 1, removed do
        if scores[k] then
            local ending = tonumber(scores[k])
            ends[scored[k]] = ending > now and ending or nil
        end
    end
end
if ended > 0 then
    gone = call('ZRANGEBYSCORE', HOLDERS, '-inf', now, 'LIMIT', 0, MOST)
    went = #gone
end
-- These entries are all there is to remove of them.
local wentBefore = went
local cancelled
if others > 0 then
    cancelled = {}
    local scores = asked > 4 and call('ZMSCORE', CANCELLED, unpack(fields, 5)) or { call('ZCARD', CANCELLED) }
    for k = 5, asked do
        cancelled[fields[k]] = scores[k - 4] and tonumber(scores[k - 4]) > now
    end
end

---- Apply

-- What the calls make of it: the greatest lease or place, other changes of `state`, and messages for other processes.
local answers, answered, notices, longest, set, messages = { '0' }, 1, nil, 0, {}, nil
-- Only if there are waiters: the lines, the end of the grace period, the ticket of the first in the queue (0 where no waiter there may be served),
-- and what can be done. It is set up only where needed, because each closure has its price.
local queue, standby, graceEnd, head, unlink, isResized, tell, serve, wake, move, drop, showAlive, startGrace, nearest, note, termsOf, waiters, records, placed, recorded, describe
-- Whether serving the queue again would change nothing; whether there is something to give since the last call.
local settled, owing = false, false

if not isSimple and not onlyRenews then
    local setBack = last > micros + SET_BACK
    if setBack then
        -- What was to end soon would last until the clock has caught up. From now on no lease lasts longer than it was given for.
        local latest, seen = call('ZRANGE', HOLDERS, -100, -1, 'WITHSCORES'), {}
        for k = 1, #latest, 2 do
            local id = match(latest[k], '^(%*.-) ') or latest[k]
            local lease = not seen[id] and tonumber(match(call('HGET', STATE, id) or '', '^%d+\n%d+\n(%d+)\n'))
            seen[id] = true
            weigh(id)
            if lease and tonumber(latest[k + 1]) > from + lease then
                ends[id], moved = from + lease, moved + 2
                extended[moved - 1], extended[moved] = from + lease, id
            end
        end
    end

    -- A line is read in order, as far as needed; `at` tells where an id stands by now, `came` those that have moved, in order.
    local termsBy, alive, budget = {}, {}, MOST
    waiters, records, placed = {}, {}, {}

    local function open(key)
        return { key = key, size = others > 0 and call('ZCARD', key) or 0, ids = {}, scores = {}, read = 0, at = {}, came = {}, moved = {} }
    end
    queue, standby = open(QUEUE), open(STANDBY)

    function tell(process, text)
        if process == me then
            notices = notices or {}
            notices[#notices + 1] = text
        else
            messages = messages or {}
            messages[process] = messages[process] and messages[process] .. '\n' .. text or text
        end
    end

    -- Whatever makes a lease or a place end later says so in the last ticket, so that a clock that was set back since is noticed. The next
    -- ticket is what it would be without.
    local function keep(millis)
        last, longest = max(last, micros - 1), max(longest, millis)
    end

    function drop(id)
        wasNoPermit[id] = not ends[id] and wasNoPermit[id] ~= false
        held = ends[id] and held - (heavy and weigh(id) or 1) or held
        went, ends[id], records[id] = went + 1, nil, nil
        gone[went] = id
        move(queue, id)
        move(standby, id)
    end

    -- Ms to when to ask again if no message comes: when a lease or the grace period ends.
    local rank, start, entries, found, foundAt = ended, ended, {}, nil, nil
    function nearest()
        if foundAt == went + came + moved then
            return found
        end
        local least, isChanged = graceEnd or huge, {}
        for k = 1, went do
            isChanged[gone[k]] = true
        end
        for _, pairs in ipairs({ added, extended }) do
            for k = 2, #pairs, 2 do
                isChanged[pairs[k]] = true
                least = min(least, ends[pairs[k]] or huge)
            end
        end
        while rank < size do
            local k = 2 * (rank - start) + 1
            if not entries[k] then
                start, k, entries = rank, 1, call('ZRANGE', HOLDERS, rank, rank + min(went, CHUNK), 'WITHSCORES')
            end
            local id = heavy and match(entries[k], '^(%*.-) ') or entries[k]
            if not isChanged[id] then
                least = min(least, tonumber(entries[k + 1]))
                break
            end
            -- The entries of a permit follow each other.
            rank = rank + (heavy and id == entries[k] and weigh(id) or 1)
        end
        found, foundAt = format('%d', least < huge and max(1, least - from) or 0), went + came + moved
        return found
    end

    -- Those on standby that were notified of a free permit, and may still request it.
    local toldNow = standby.size > 0 and not lost and call('ZCOUNT', STANDBY, micros + 1, '+inf') or 0

    local function learnAlive(processes)
        local names = {}
        for k = 1, #processes do
            names[k] = 'alive ' .. processes[k]
        end
        local values = call('HMGET', STATE, unpack(names))
        for k = 1, #names do
            alive[processes[k]] = tonumber(values[k] or 0)
            if setBack and alive[processes[k]] > from + LONGEST_PLACE then
                alive[processes[k]] = from + LONGEST_PLACE
                set[#set + 1], set[#set + 2] = names[k], from + LONGEST_PLACE
            end
        end
        return alive[processes[1]]
    end

    if not plain then
        -- The record of an id by now.
        function recorded(id)
            local record = records[id] or known[id]
            for k = 1, came, 2 do
                record = described[k] == id and described[k + 1] or record
            end
            return record
        end

        -- Gives a holder another record.
        function describe(id, record)
            came = came + 2
            added[came - 1], added[came], described[came - 1], described[came] = ends[id], id, id, record
        end
    end

    -- Where an id stands from now on; nowhere without a score.
    function move(line, id, score)
        if line.at[id] or score then
            if line == standby then
                toldNow = toldNow + (score and score > micros and 1 or 0) - (line.at[id] and line.at[id] > micros and 1 or 0)
            end
            line.at[id], settled = score, settled and score ~= nil
            line.moved[#line.moved + 1], line.moved[id] = id, true
            if score then
                local k = #line.came
                while k > 0 and (line.came[k][1] > score or line.came[k][1] == score and line.came[k][2] > id) do
                    k = k - 1
                end
                table.insert(line.came, k + 1, { score, id })
            end
        end
    end

    -- What a record says of a waiter after its first two lines. Most waiters have that in common.
    function termsOf(tail)
        if termsBy[tail] == nil then
            local lease, limit, process = match(tail, '^\n(%d+)\n(%d+)\n([^\n]*)')
            termsBy[tail] = lease and { lease = tonumber(lease), limit = tonumber(limit), process = process, suffix = '\n' .. nowText .. tail,
                ending = format('%d', from + min(lease, FIRST_LEASE)) }
        end
        return termsBy[tail]
    end

    -- Takes what a record says of a waiter.
    function note(id, text)
        local tail = not waiters[id] and match(text or '', '^%d+\n%d+(\n.*)$')
        waiters[id] = waiters[id] or tail and termsOf(tail) or nil
        return waiters[id]
    end

    local function readOn(line)
        local count = line.read == 0 and min(CHUNK, 2 + freed) or CHUNK
        local found = call('ZRANGE', line.key, line.read, line.read + count - 1, 'WITHSCORES')
        local ids, unknown = {}, {}
        for k = 1, #found, 2 do
            local id, score = found[k], tonumber(found[k + 1])
            if id ~= GRACE then
                line.ids[#line.ids + 1], line.scores[#line.scores + 1], ids[#ids + 1] = id, score, id
                line.at[id] = not line.moved[id] and score or line.at[id]
            elseif score > now and score <= from + GRACE_LASTS then
                graceEnd = score
            else
                -- Over; or it began before the clock was set back.
                line.moved[#line.moved + 1] = GRACE
            end
        end
        line.read = line.read + count
        local texts = ids[1] and call('HMGET', STATE, unpack(ids))
        for k = 1, #ids do
            local waiter = note(ids[k], texts[k])
            if waiter and not alive[waiter.process] then
                alive[waiter.process] = 0
                unknown[#unknown + 1] = waiter.process
            end
        end
        if unknown[1] then
            learnAlive(unknown)
        end
    end

    -- Shows the waiters of a line in order until one is the last to be seen; removes the dead on its way. Returns whether it saw all.
    local function walk(line, looks, isLast)
        local k, c = 1, 1
        while looks > 0 and budget > 0 do
            local id, came = line.ids[k], line.came[c]
            if not id and line.read < line.size then
                readOn(line)
            elseif id and line.at[id] ~= line.scores[k] then
                k = k + 1
            elseif came and line.at[came[2]] ~= came[1] then
                c = c + 1
            elseif not id and not came then
                return true
            else
                if id and (not came or line.scores[k] < came[1] or line.scores[k] == came[1] and id < came[2]) then
                    k = k + 1
                else
                    id, c = came[2], c + 1
                end
                local waiter = waiters[id]
                looks = looks - 1
                if line == standby and line.at[id] > micros then
                    return true
                elseif not waiter or (alive[waiter.process] or learnAlive({ waiter.process })) <= now then
                    budget = budget - 1
                    drop(id)
                elseif isLast(id, waiter, line.at[id]) then
                    return false
                end
            end
        end
        return false
    end

    -- Takes a waiter off that weighs more than the limit, which has become smaller. It is told to ask again, and then refused.
    local function refuse(id, waiter)
        budget = budget - 1
        drop(id)
        tell(waiter.process, 'free ' .. id)
    end

    local function blocks(id, waiter, ticket)
        local most = resizedTo or waiter.limit
        local weight = held < most and weigh(id) or 1
        if weight > most then
            return refuse(id, waiter)
        elseif held + weight > most then
            head = ticket
            return true
        end
        budget = budget - weight
        move(queue, id)
        keep(waiter.lease)
        last, held, came, ends[id] = max(last + 1, micros), held + weight, came + 2, tonumber(waiter.ending)
        local token = format('%d', last)
        records[id] = token .. waiter.suffix
        added[came - 1], added[came], described[came - 1], described[came] = waiter.ending, id, id, records[id]
        tell(waiter.process, 'handed-over ' .. id .. ' ' .. token .. ' ' .. waiter.ending)
    end

    -- Gives free permits to the first in the queue. Each waiter goes by the limit that it declared itself.
    function serve()
        head = 0
        if queue.size > 0 and queue.read == 0 then
            readOn(queue)
        end
        if not graceEnd and walk(queue, huge, blocks) then
            head = nil
        end
        settled = true
    end

    -- Tells those on standby that permits are free: as many as there are, less those who were told and have not asked yet.
    function wake()
        if head or standby.size == 0 and not standby.came[1] then
            return
        end
        walk(standby, LOOKS, function(id, waiter)
            local taken, most = held + toldNow, resizedTo or waiter.limit
            if taken < most then
                local weight = weigh(id)
                if weight > most then
                    refuse(id, waiter)
                elseif taken + weight <= most then
                    move(standby, id, micros + TOLD)
                    tell(waiter.process, 'free ' .. id)
                end
                -- Else a lighter one may fit.
                return false
            end
            for limit in string.gmatch(resizedTo and '' or declared, ' (%d+):') do
                if tonumber(limit) > taken then
                    return false
                end
            end
            return true
        end)
    end

    -- Shows that the process of the caller is alive.
    function showAlive(millis)
        if not alive[me] then
            learnAlive({ me })
        end
        if from + millis > alive[me] then
            alive[me] = from + millis
            set[#set + 1], set[#set + 2] = 'alive ' .. me, from + millis
        end
        keep(millis)
    end

    -- Where it is not known who waits, or waited.
    function startGrace()
        if not lost then
            return false
        end
        lost, graceEnd, head, foundAt = false, from + GRACE_LASTS, 0, nil
        queue.moved[#queue.moved + 1], queue.at[GRACE] = GRACE, graceEnd
        keep(GRACE_LASTS)
        return true
    end

    if lost and queue.size + standby.size > 0 then
        -- Nothing is known of those who waited. They queue again, with the tickets that they had.
        unlink = true
        if queue.size > 0 then
            startGrace()
        end
        queue.size, standby.size = 0, 0
    end
    for _, line in ipairs({ queue, standby }) do
        local scores = line.size > 0 and removed > 0 and call('ZMSCORE', line.key, unpack(scored)) or {}
        for k = 1, #scores do
            line.at[scored[k]] = tonumber(scores[k] or nil)
        end
    end
end

-- The terms that were read last, as most acquires have the same.
local terms, limit, lease, placeLasts, fair, tail, suffix, ending, endingText, token
i = firstCall
while i <= most do
    local what, answer = ARGV[i], nil
    -- What releases free one after the other is given away together, but not on standby, where a light one may be told before a heavy one.
    if owing and (standby.size > 0 or standby.came[1] or what ~= 'release' or not ends[ARGV[i + 1]]) then
        serve()
        wake()
        owing = false
    end
    if what == 'release' then
        local id = ARGV[i + 1]
        answer = ends[id] and 1 or 0
        if queue then
            wasNoPermit[id] = false
            drop(id)
        else
            held, went, ends[id] = held - (heavy and answer * weigh(id) or answer), went + 1, nil
            gone[went] = id
        end
        i = i + 2
    elseif what == 'release after' then
        local id, millis = ARGV[i + 2], tonumber(ARGV[i + 1])
        local released, ending, record = id .. '.released', ends[id], recorded(id)
        answer = ending and 1 or 0
        wasNoPermit[id] = false
        drop(id)
        if ending then
            -- Without a record the start is not known: then it counts from now, so that it is not too short.
            local token, since, rest, owner = match(record or '', '^(%d+)\n(%d+)(\n%d+\n%d+\n)[^\n]*(.*)$')
            ending = min(ending, from + millis, since and since + millis or huge)
            -- One that is there already was released first. This one is a copy of its request, which came late.
            if ending > now and not ends[released] then
                held, longest, ends[released] = held + (heavy and weigh(id) or 1), max(longest, ending - from), ending
                if since then
                    describe(released, token .. '\n' .. since .. rest .. RELEASED .. owner)
                else
                    moved = moved + 2
                    extended[moved - 1], extended[moved] = ending, released
                end
            end
        end
        i = i + 3
    elseif what == '1' or what == 'queue' or tonumber(what) then
        local ticket = 0
        if what == 'queue' then
            ticket, what = tonumber(ARGV[i + 1]), ARGV[i + 2]
            i = i + 2
        end
        local id = ARGV[i + 1]
        if cancelled and cancelled[id] then
            answer = -1
        else
            if queue and not settled then
                serve()
            end
            if what ~= terms then
                local at = 5 * what - 1
                terms, limit, lease, placeLasts, fair, tail = what, tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), ARGV[at + 3] == '1', ARGV[at + 4]
                suffix, ending = '\n' .. nowText .. tail, from + lease
                endingText = format('%d', ending)
                local noted = match(declared, ' ' .. ARGV[at] .. ':(%d+)')
                if not noted or now - noted >= DECLARED_REFRESHED then
                    -- Notes the limit of this request, and reports which others were used recently.
                    local others, texts = {}, { format(' %d:%d', limit, now) }
                    for other, when in string.gmatch(declared, ' (%d+):(%d+)') do
                        if other ~= ARGV[at] and now - when < DECLARED_LASTS and #texts < DECLARED_MOST then
                            others[#others + 1], texts[#texts + 1] = other, ' ' .. other .. ':' .. when
                        end
                    end
                    declared = concat(texts)
                    set[#set + 1], set[#set + 2] = 'declared limits', declared
                    last, longest = max(last, micros - 1), max(longest, 1)
                    if others[1] then
                        notices = notices or {}
                        notices[#notices + 1] = 'limits ' .. ARGV[at] .. ' ' .. concat(others, ',')
                    end
                end
            end
            local weight = heavy and weigh(id) or 1
            local old = fair and ticket > 0 and min(max(ticket, SMALLEST_TICKET), max(last, micros)) or 0
            local record = ends[id] and (queue and records[id] or known[id])
            for k = 1, ends[id] and came or 0, 2 do
                record = described[k] == id and described[k + 1] or record
            end
            if record then
                -- It asks again, or was served. It counts its full lease from when it asked.
                answer, ends[id], moved = match(record, '^%d+') or 0, max(ends[id], ending), moved + 2
                extended[moved - 1], extended[moved] = ends[id], id
                last, longest = max(last, micros - 1), max(longest, lease)
            elseif ends[id] or not (old > 0 and startGrace()) and held + weight <= (resizedTo or limit) and (not head or old > 0 and head > old) then
                -- One that is held although its record was lost counts already, and gets a token that it can be told.
                if queue then
                    move(queue, id)
                    move(standby, id)
                    records[id] = nil
                end
                last, held, longest, came = max(last + 1, micros), held + (ends[id] and 0 or weight), max(longest, lease), came + 2
                token = format('%d', last)
                ends[id], answer, added[came - 1], added[came] = ending, token, endingText, id
                described[came - 1], described[came] = id, token .. suffix
            else
                answer = (resizedTo or ARGV[5 * terms - 1]) .. ' ' .. nearest()
                if weight > (resizedTo or limit) then
                    if queue.at[id] or standby.at[id] then
                        drop(id)
                    end
                elseif placeLasts > 0 then
                    longest = max(longest, lease)
                    showAlive(placeLasts)
                    local ticket = queue.at[id]
                    if standby.at[id] then
                        note(id, known[id])
                        move(standby, id, (tonumber(match(records[id] or known[id] or '', '^%d+\n(%d+)')) or now) * 1000)
                    elseif not ticket then
                        if fair then
                            last = max(last + (old > 0 and 0 or 1), old > 0 and old or micros)
                            ticket = old > 0 and old or last
                            head = min(head or ticket, ticket)
                        end
                        waiters[id] = termsOf(tail)
                        move(fair and queue or standby, id, ticket or micros)
                        records[id], placed[#placed + 1] = format('%d', ticket or 0) .. suffix, id
                    end
                    answer = answer .. ' ' .. fromText .. ' ' .. format('%d', ticket or 0)
                end
            end
            if queue then
                wake()
            end
        end
        i = i + 2
    elseif what == 'renew' then
        local id, millis = ARGV[i + 1], tonumber(ARGV[i + 2])
        answer = ends[id] and 1 or 0
        if ends[id] then
            ends[id], moved = max(ends[id], from + millis), moved + 2
            extended[moved - 1], extended[moved] = ends[id], id
            last, longest = max(last, micros - 1), max(longest, millis)
        end
        i = i + 3
    elseif what == 'cancel' then
        longest = max(longest, tonumber(ARGV[i + 1]))
        for k = i + 3, i + 2 + ARGV[i + 2] do
            local id = ARGV[k]
            answered = answered + 1
            answers[answered] = ends[id] and 1 or 0
            drop(id)
            cancelled = cancelled or {}
            cancelled[id], cancelled[#cancelled + 1], cancelled[#cancelled + 2] = true, from + ARGV[i + 1], id
        end
        i = i + 3 + ARGV[i + 2]
    elseif what == 'revoke' then
        local id = ARGV[i + 1]
        -- Any text may come here, also that of a further entry.
        answer = ends[id] and not match(id, '^%*.* ') and 1 or 0
        if answer == 1 then
            local process = match(records[id] or known[id] or '', '^%d+\n%d+\n%d+\n%d+\n([^\n{]+)\n')
            drop(id)
            if process then
                tell(process, 'revoked ' .. id)
            end
        end
        i = i + 2
    elseif what == 'detach' then
        local id, millis, record = ARGV[i + 1], tonumber(ARGV[i + 2]), recorded(ARGV[i + 1])
        local start, owner = match(ends[id] and record or '', '^(%d+\n%d+\n%d+\n%d+\n)[^\n]*(.*)$')
        answer = start and 1 or 0
        if start then
            ends[id] = max(ends[id], from + millis)
            last, longest = max(last, micros - 1), max(longest, millis)
            describe(id, start .. DETACHED .. ARGV[i + 3] .. owner)
            local refused = tonumber(ARGV[i + 4])
            if refused > 0 then
                longest, cancelled = max(longest, refused), cancelled or {}
                cancelled[id], cancelled[#cancelled + 1], cancelled[#cancelled + 2] = true, from + refused, id
            end
        end
        i = i + 5
    elseif what == 'attach' then
        local id, old, millis, most = ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5])
        -- Asked again, it is the new permit already.
        local attached = ends[id] and recorded(id)
        local present, record = attached and id or old, attached or ends[old] and recorded(old) or ''
        local drawn, since, process = match(record, '^(%d+)\n(%d+)\n%d+\n%d+\n([^\n]*)')
        answer = 0
        if drawn and process == (attached and me or DETACHED .. ARGV[i + 3]) then
            local ending = max(ends[present], min(from + millis, most > 0 and since + most or huge))
            last, longest = max(last, micros - 1), max(longest, ending - from)
            if attached then
                drawn, ends[id] = tonumber(drawn), ending
                describe(id, record)
            else
                drop(old)
                move(queue, id)
                move(standby, id)
                last, held, ends[id] = max(last + 1, micros), held + (heavy and weigh(id) or 1), ending
                drawn = last
                describe(id, format('%d', last) .. '\n' .. since .. ARGV[i + 6])
            end
            answer = format('%d %d', drawn, max(0, now - since))
        end
        i = i + 7
    elseif what == 'resize' then
        answer = resizedTo and 1 or 0
        resizedTo, isResized = ARGV[i + 1] ~= '0' and tonumber(ARGV[i + 1]) or nil, true
        last, longest = max(last, micros - 1), max(longest, 1)
        i = i + 2
    elseif what == 'poll' then
        if queue.size > 0 or standby.size > 0 then
            showAlive(tonumber(ARGV[i + 1]))
        end
        serve()
        wake()
        local handed, missing, asking = {}, { '' }, {}
        for k = i + 4, i + 3 + ARGV[i + 3] do
            local id = ARGV[k]
            if (queue.at[id] or standby.at[id]) and not (heavy and weigh(id) > (resizedTo or tonumber(ARGV[i + 2]))) then
                -- It waits, and may be served.
            elseif ends[id] then
                asking[#asking + 1] = id
            else
                missing[#missing + 1] = id
                drop(id)
            end
        end
        local texts = asking[1] and call('HMGET', STATE, unpack(asking))
        for k, id in ipairs(asking) do
            local token = tonumber(match(records[id] or texts[k] or '', '^%d+') or nil)
            if token then
                handed[#handed + 1] = format(' %s %d %d', id, token, ends[id])
            else
                -- Its record was lost, and with it the token. It queues again, and the short lease of this permit ends soon.
                missing[#missing + 1] = id
            end
        end
        answer = format('%d %d %s %d', from, head and 0 or max(0, (resizedTo or tonumber(ARGV[i + 2])) - held), nearest(), #handed)
            .. concat(handed) .. concat(missing, ' ')
        i = i + 4 + ARGV[i + 3]
    end
    owing = owing or queue and (what == 'release' or what == 'release after' or what == 'cancel' or what == 'revoke' or what == 'resize')
    if answer then
        answered = answered + 1
        answers[answered] = answer
    end
    lost = lost and last == 0
end
if owing then
    serve()
    wake()
end

---- Flush

-- What was granted here may have gone again, or end at another time.
if came > 0 and (went > 0 or moved > 0) then
    local kept = 0
    for k = 1, came, 2 do
        if ends[added[k + 1]] then
            kept = kept + 2
            added[kept - 1], added[kept] = moved > 0 and ends[added[k + 1]] or added[k], added[k + 1]
            described[kept - 1], described[kept] = described[k], described[k + 1]
        end
    end
    came = kept
end
local written = came
for k = 2, moved, 2 do
    if ends[extended[k]] then
        came = came + 2
        added[came - 1], added[came] = ends[extended[k]], extended[k]
    end
end
if last ~= ticketBefore then
    set[#set + 1], set[#set + 2] = 'last ticket', format('%d', last)
end
if isResized and resizedTo then
    set[#set + 1], set[#set + 2] = 'set limit', resizedTo
elseif isResized then
    went = went + 1
    gone[went] = 'set limit'
end

-- With a reserve, so that not each call has to.
-- Where it is lost until when the keys live, the holders must live as long as the last of them.
local latest = longest > 0 and not state[2] and call('ZRANGE', HOLDERS, -1, -1, 'WITHSCORES')
if latest and latest[2] then
    longest = max(longest, latest[2] - from)
end
local lengthens = longest > 0 and from + longest + SLACK > kept
if lengthens then
    kept = from + longest + 2 * SLACK
    set[#set + 1], set[#set + 2] = 'kept until', kept
    -- Now and then: what was left behind where another key was evicted, and processes that are dead.
    local some, ids = not state[1] and {} or call('HRANDFIELD', STATE, 16, 'WITHVALUES'), {}
    for k = 1, #some, 2 do
        if string.find(some[k], '^alive ') and tonumber(some[k + 1]) <= now then
            went = went + 1
            gone[went] = some[k]
        elseif not string.find(some[k], ' ', 1, true) then
            ids[#ids + 1] = some[k]
        end
    end
    local found = {}
    for k = 1, ids[1] and 3 or 0 do
        found[k] = call('ZMSCORE', KEYS[k == 1 and 1 or k + 1], unpack(ids))
    end
    for k = 1, #ids do
        if not (found[1][k] or found[2][k] or found[3][k]) then
            went = went + 1
            gone[went] = ids[k]
        end
    end
end
local ttl = kept - now

local removedRecords = went
if heavy then
    for k = 2, came, 2 do
        for n = 2, weigh(added[k]) do
            came = came + 2
            added[came - 1], added[came] = added[k - 1], added[k] .. ' ' .. n
        end
    end
    for k = wentBefore + 1, removedRecords do
        for n = 2, wasNoPermit[gone[k]] and 1 or weigh(gone[k]) do
            went = went + 1
            gone[went] = gone[k] .. ' ' .. n
        end
    end
end
if renews and came > 0 then
    -- First: a server whose memory is full lets a script go on that has begun to write, and this write needs no memory.
    call('PEXPIRE', HOLDERS, ttl)
end
if went > 0 then
    call('HDEL', STATE, unpack(gone, 1, removedRecords))
end
local becomesSkipList = size and size - went <= FEW and size - went + came / 2 > FEW
if becomesSkipList then
    call('ZADD', HOLDERS, 0, LONG)
end
for k = 1, went, WORDS do
    call('ZREM', HOLDERS, unpack(gone, k, min(k + WORDS - 1, went)))
end
for k = 1, came, WORDS do
    call('ZADD', HOLDERS, unpack(added, k, min(k + WORDS - 1, came)))
end
if becomesSkipList then
    call('ZREM', HOLDERS, LONG)
end
if lengthens or came > 0 and size and size <= went then
    call('PEXPIRE', HOLDERS, ttl)
end
for k = 1, placed and #placed or 0 do
    if records[placed[k]] then
        written = written + 2
        described[written - 1], described[written] = placed[k], records[placed[k]]
    end
end
for k = 1, #set do
    written = written + 1
    described[written] = set[k]
end
if written > 0 then
    call('HSET', STATE, unpack(described, 1, written))
end
if lengthens or isResized then
    call('PEXPIRE', STATE, resizedTo and LIMIT_SET_LASTS or max(ttl, isResized and DECLARED_LASTS or 0))
end
if unlink then
    call('UNLINK', QUEUE, STANDBY)
end
for _, line in ipairs(queue and { queue, standby } or {}) do
    local put, leaving = {}, {}
    for k = 1, #line.moved do
        local id = line.moved[k]
        if line.at[id] then
            put[#put + 1], put[#put + 2] = format('%d', line.at[id]), id
        else
            leaving[#leaving + 1] = id
        end
    end
    if put[1] then
        local becomesSkipList = line.size - #leaving <= FEW and line.size - #leaving + #put / 2 > FEW
        if becomesSkipList then
            call('ZADD', line.key, 0, LONG)
        end
        call('ZADD', line.key, unpack(put))
        if becomesSkipList then
            call('ZREM', line.key, LONG)
        end
        if line.size == 0 and not lengthens then
            call('PEXPIRE', line.key, ttl)
        end
    end
    if leaving[1] then
        call('ZREM', line.key, unpack(leaving))
    end
end
if cancelled and cancelled[1] then
    call('ZREMRANGEBYSCORE', CANCELLED, '-inf', now)
    call('ZADD', CANCELLED, 'GT', unpack(cancelled))
end
if cancelled and cancelled[1] or lengthens and (queue or others > 0) then
    for k = 3, 5 do
        call('PEXPIRE', KEYS[k], ttl)
    end
end
for process, text in pairs(messages or {}) do
    redis.pcall('PUBLISH', process, text)
end
if notices then
    answers[1] = #notices .. '\n' .. concat(notices, '\n')
end
return concat(answers, '\n')
