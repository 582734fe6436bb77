-- One step of one bulkhead: an instance states its position, and the answer states it as Redis has it. ShareMachine does the same in Java.
--
-- KEYS[1] shares   hash: the fields below
-- KEYS[2] waiting  sorted set: instance -> ticket of its first calls that wait; heals from the hash, and the hash from statements
--
-- Fields. The values of a field have one space between them; '-' is none; times are ms, tickets and clocks us.
--   bulkhead       layout, run id of the server under which this was written, epochs below this are of an earlier run, end of the grace period,
--                  instances of an earlier run that have not stated their position (-1: do not count), last ticket, last time, clock set back by,
--                  permits in shares and holds, lower bound of all ends, no scan before, TTL ends, instances, keepers, instance with the last
--                  unmet need, when that was, when another one's was, last recall, how many were expected to answer it
--   limit          the limit that an operator set
--   limits         declared limits, the last one first: '<limit>:<when>'
--   i:<instance>   number of its last statement, epoch, granted, part of it that is an offer, returned, revoked, end of the lease, last statement,
--                  keeps, first recall that it has not answered, highest ticket served, last group with a new ticket, that ticket, lease, limit,
--                  calls that wait: '<ticket>,<weight>,<count>;...'
--   h:<id>         a permit that no instance holds: weight (0: revoked), end, started, digest, instance that attached it, epoch and granted then, method
-- An instance is named by the channel on which it receives messages. To list the shares:
--   redis-cli hgetall '<key>' | awk '/^i:/ {i=$0; getline; print i, $3-$5-$6}'
--
-- ARGV[1] layout; ARGV[2] operation; then
--   'sync'    instance, number, epoch, granted, returned, revoked, lease, limit, 1 if it keeps, 1 if it wants to, highest ticket or token it has seen,
--             tokens it wants, run id of the server or '-', for how long it has known this one after another one or -1,
--             needs '<ticket>,<group>,<weight>,<count>;...', immediate needs '<weight>,<count>;...', number of holds,
--             for each hold: id, weight, lease, for how long it has run, digest or '-', method; then for each attach: id, digest
--   'revoke'  instance or '', permit id, permits
--   'resize'  limit, or 0 to undo
--   'look'
--
-- Reply to 'sync', one text: number, epoch, granted, admitted, revoked, lease, limit, ticket of the new group, highest ticket served, others wait, may
--   keep, recalled, grace, ask again in, first token, tokens, run id or '-', attached '<id>,<weight>,<has run>;...', other limits '<limit>,...'
-- to 'revoke' the number of permits; to 'resize' 1 if there was a limit, else 0; to 'look' a list: seconds and us of the clock, list of the fields
--
-- Messages, to the channel of the instance: 'granted <number> <epoch> <granted> <revoked> <served> <others wait> <first token> <tokens> <KEYS[1]>',
--   'recalled <number> <KEYS[1]>', 'changed <KEYS[1]>'
--
-- Each key is read before any is written, so a key of a foreign type stops the script with nothing changed. %d writes all digits of a number.

local KEYS, ARGV, call, format, match, gmatch, sub, tonumber = KEYS, ARGV, redis.call, string.format, string.match, string.gmatch, string.sub, tonumber
local floor, max, min, huge, concat, unpack = math.floor, math.max, math.min, math.huge, table.concat, unpack
local SHARES, QUEUE, LAYOUT, OPERATION = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

-- Milliseconds; ShareStore explains the first six.
local OFFER, WAITER, GRACE, UNMET, RECALL, DEAF = 3000, 3000, 2000, 1000, 200, 1000
local SLACK, LIMIT_SET_LASTS, DECLARED_LASTS, DECLARED_REFRESHED = 1000, 30 * 24 * 3600 * 1000, 60000, 5000
-- How many instances may keep; how many a step serves, skips or ends; how many of the queue are read at once; how many limits are noted.
local MOST_KEEPERS, MOST, CHUNK, DECLARED_MOST = 64, 1000, 32, 8
-- A grant brings a token for each permit and so many more. Counters stay below 2^53 by far.
local MORE_TOKENS, MOST_TOKENS, MOST_COUNTED = 16, 1048576, 4503599627370496
-- After a scan, none for a millisecond per so many records: it takes about 5 us per record, so 5 % of the server.
local SCANNED_PER_MILLI = 10

---- Load

local time = call('TIME')
if OPERATION == 'look' then
    return { time[1], time[2], call('HGETALL', SHARES) }
end
local wall = tonumber(time[1]) * 1000000 + tonumber(time[2])
local names = { 'bulkhead', 'limit', 'limits' }
local me = OPERATION == 'sync' and ARGV[3] or nil
if me then
    names[4] = 'i:' .. me
    local holds = tonumber(ARGV[19])
    for k = 20, 19 + 6 * holds, 6 do
        names[#names + 1] = 'h:' .. ARGV[k]
    end
    for k = 20 + 6 * holds, #ARGV, 2 do
        names[#names + 1] = 'h:' .. ARGV[k]
    end
end
local loaded = call('HMGET', SHARES, unpack(names))
local resized, limits = tonumber(loaded[2] or nil), loaded[3] or ''

-- Names to records, false where there is none; fields that have changed; instances that were offered permits, in order.
local shares, holds, changed, offers, messages = {}, {}, {}, {}, {}
local budget, grantedNow, keepUntil = MOST, 0, 0

local function isKeeper(share)
    return share.keeps and share.granted - share.returned - share.revoked > 0
end

local function parseShare(name, text)
    local number, epoch, granted, offered, returned, revoked, ending, stated, keeps, recalled, served, group, groupTicket, lease, limit, waiting
        = match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)$')
    local share = {
        name = name, number = tonumber(number), epoch = tonumber(epoch), granted = tonumber(granted), offered = tonumber(offered),
        returned = tonumber(returned), revoked = tonumber(revoked), ending = tonumber(ending), stated = tonumber(stated), keeps = keeps == '1',
        recalled = tonumber(recalled), served = tonumber(served), group = tonumber(group), groupTicket = tonumber(groupTicket),
        lease = tonumber(lease), limit = tonumber(limit), groups = {}
    }
    if waiting ~= '-' then
        for ticket, weight, count in gmatch(waiting, '(%d+),(%d+),(%d+)') do
            share.groups[#share.groups + 1] = { ticket = tonumber(ticket), weight = tonumber(weight), count = tonumber(count) }
        end
    end
    share.counted = isKeeper(share)
    return share
end

local function parseHold(id, text)
    local weight, ending, started, digest, by, epoch, granted, method = match(text, '^(%d+) (%d+) (%d+) (%S+) (%S+) (%d+) (%d+) (.*)$')
    return {
        id = id, weight = tonumber(weight), ending = tonumber(ending), started = tonumber(started), digest = digest, by = by, epoch = tonumber(epoch),
        granted = tonumber(granted), method = method
    }
end

local function shareOf(name)
    if shares[name] == nil then
        local text = call('HGET', SHARES, 'i:' .. name)
        shares[name] = text and parseShare(name, text)
    end
    return shares[name]
end

local isAllLoaded = false
local function loadAll()
    local all = isAllLoaded and {} or call('HGETALL', SHARES)
    isAllLoaded = true
    for k = 1, #all, 2 do
        local kind, name = sub(all[k], 1, 2), sub(all[k], 3)
        if kind == 'i:' and shares[name] == nil then
            shares[name] = parseShare(name, all[k + 1])
        elseif kind == 'h:' and holds[name] == nil then
            holds[name] = parseHold(name, all[k + 1])
        end
    end
end

local isMissing = not loaded[1]
local layout, server, since, grace, unconfirmed, ticket, clock, offset, held, until_, pause, kept, instances, keepers, unmetBy, unmetAt, unmetElse,
    recalledAt, expected = match(loaded[1] or LAYOUT .. ' - 0 0 -1 0 0 0 0 - 0 0 0 0 - 0 0 0 0', '^(%S+) ?(%S*) ?(%d*) ?(%d*) ?(%-?%d*) ?(%d*) ?(%d*) ?(%d*) ?(%-?%d*)'
        .. ' ?(%S*) ?(%d*) ?(%d*) ?(%d*) ?(%d*) ?(%S*) ?(%d*) ?(%d*) ?(%d*) ?(%d*)$')
if layout ~= LAYOUT then
    return redis.error_reply('LAYOUT ' .. (layout or '?'))
end
since, grace, unconfirmed, ticket = tonumber(since), tonumber(grace), tonumber(unconfirmed), tonumber(ticket)
clock, offset, held, until_ = tonumber(clock), tonumber(offset), tonumber(held), until_ == '-' and huge or tonumber(until_)
pause, kept, instances, keepers = tonumber(pause), tonumber(kept), tonumber(instances), tonumber(keepers)
unmetAt, unmetElse, recalledAt, expected = tonumber(unmetAt), tonumber(unmetElse), tonumber(recalledAt), tonumber(expected)
for k = 4, #names do
    local kind, name, text = sub(names[k], 1, 2), sub(names[k], 3), loaded[k]
    if kind == 'i:' then
        shares[name] = text and parseShare(name, text)
    else
        holds[name] = text and parseHold(name, text)
    end
end

-- A clock that was set back ends nothing later, and one that has caught up ends nothing early.
offset = wall >= clock and 0 or max(offset, clock - wall)
local micros = wall + offset
-- What ends by now has ended. What ends so long after `from` has had its full time.
local now, from = floor(micros / 1000), -floor(-micros / 1000)

---- Records

local function sizeOf(share)
    return share.granted - share.returned - share.revoked
end

local function takenBy(hold)
    return hold.by == '-' and hold.weight or 0
end

local function nextEnd(share)
    if share.offered > 0 then
        return min(share.ending, share.stated + OFFER)
    end
    return sizeOf(share) > 0 and share.ending or max(share.ending, share.stated + WAITER)
end

local function waits(share)
    return share.groups[1] and now - share.stated < WAITER
end

local function countKeeper(share)
    local is = isKeeper(share)
    if is and not share.counted then
        -- The last recall did not reach it.
        recalledAt = 0
    end
    keepers, share.counted = keepers + (is and 1 or 0) - (share.counted and 1 or 0), is
end

local function draw(count)
    local first = max(ticket + 1, micros)
    ticket = first + (count or 1) - 1
    return first
end

-- What a step leaves undone, the next one does.
local function spend()
    budget = budget - 1
    until_ = budget == 0 and now or until_
end

---- The queue: what was read of it in order, and who has moved in it since

local read, readWhole, at, line, tickets, wasAt, stale, moved = 0, false, 1, {}, {}, {}, {}, {}

local function readMore()
    local some = call('ZRANGE', QUEUE, read, read + CHUNK - 1, 'WITHSCORES')
    for k = 1, #some, 2 do
        line[#line + 1], tickets[#tickets + 1], wasAt[some[k]] = some[k], tonumber(some[k + 1]), tonumber(some[k + 1])
    end
    read, readWhole = read + CHUNK, #some < 2 * CHUNK
end

local function leave(name)
    stale[name] = true
    for k = 1, #moved do
        if moved[k].name == name then
            table.remove(moved, k)
            return
        end
    end
end

local function isBefore(ticket, name, other, otherName)
    return ticket < other or ticket == other and name < otherName
end

local function enter(share)
    leave(share.name)
    if share.groups[1] then
        local k, ticket = 1, share.groups[1].ticket
        while moved[k] and isBefore(moved[k].ticket, moved[k].name, ticket, share.name) do
            k = k + 1
        end
        table.insert(moved, k, { ticket = ticket, name = share.name })
    end
end

-- The first in the queue, apart from two.
local function peek(apart, alsoApart)
    while line[at] and stale[line[at]] do
        at = at + 1
    end
    local k, m = at, 1
    while true do
        if not line[k] and not readWhole then
            readMore()
        end
        local name = line[k]
        if not name or not (stale[name] or name == apart or name == alsoApart) then
            break
        end
        k = k + 1
    end
    while moved[m] and (moved[m].name == apart or moved[m].name == alsoApart) do
        m = m + 1
    end
    local other = moved[m]
    return (other and (not line[k] or isBefore(other.ticket, other.name, tickets[k], line[k]))) and other.name or line[k]
end

-- The same; removes those that are dead or have no calls any more.
local function first(caller, apart, alsoApart)
    local name = peek(apart, alsoApart)
    while name do
        local share = shareOf(name)
        if share and (share == caller or waits(share)) then
            return name
        elseif budget == 0 then
            return nil
        end
        spend()
        leave(name)
        if share and share.groups[1] then
            share.groups, changed['i:' .. name] = {}, true
        end
        name = peek(apart, alsoApart)
    end
end

local function grant(share, permits, isCaller)
    share.granted, held = share.granted + permits, held + permits
    if isCaller then
        grantedNow = grantedNow + permits
    else
        if not share.offeredNow then
            share.offeredNow, offers[#offers + 1] = 0, share
        end
        share.offered, share.offeredNow = share.offered + permits, share.offeredNow + permits
        -- An instance trusts an offer for so long, whatever its lease is.
        share.ending = max(share.ending, share.stated + OFFER)
    end
end

-- Gives what is free to the queue in ticket order. A heavy head blocks.
local function serve(caller)
    local head = first(caller)
    while head and budget > 0 do
        local share = shareOf(head)
        local group, limit = share.groups[1], resized or share.limit
        local fit = now < grace and 0 or min(group.count, floor(max(0, limit - held) / group.weight))
        if group.weight <= limit and fit == 0 then
            return
        end
        spend()
        if fit > 0 then
            grant(share, fit * group.weight, share == caller)
            share.served, group.count = max(share.served, group.ticket), group.count - fit
        end
        if group.count == 0 or group.weight > limit then
            table.remove(share.groups, 1)
        end
        changed['i:' .. head] = true
        enter(share)
        head = first(caller)
    end
end

local function tellOffers()
    for _, share in ipairs(offers) do
        local count = min(MOST_TOKENS, share.offeredNow + MORE_TOKENS)
        messages[#messages + 1] = { share.name, format('granted %d %d %d %d %d %d %d %d ', share.number, share.epoch, share.granted, share.revoked,
            share.served, first(nil, share.name) and 1 or 0, draw(count), count) }
    end
end

---- Time

local function finish(share)
    local offerEnded, leaseEnded = share.offered > 0 and share.stated + OFFER <= now, sizeOf(share) > 0 and share.ending <= now
    changed['i:' .. share.name] = true
    if offerEnded then
        share.granted, share.offered = share.granted - share.offered, 0
    end
    if leaseEnded then
        -- Late copies of statements may follow.
        share.granted, share.offered, share.returned, share.revoked, share.keeps, share.ending = 0, 0, 0, 0, false, from + share.lease
    end
    if offerEnded or leaseEnded then
        share.epoch = draw()
    else
        leave(share.name)
        shares[share.name] = false
    end
end

-- Removes what has ended, and counts the totals again.
local function scan()
    loadAll()
    local endedHolds, ended = {}, {}
    for id, hold in pairs(holds) do
        if hold and hold.ending <= now then
            endedHolds[#endedHolds + 1] = id
        end
    end
    for name, share in pairs(shares) do
        if share and nextEnd(share) <= now then
            ended[#ended + 1] = name
        end
    end
    table.sort(endedHolds)
    table.sort(ended)
    for k = 1, min(MOST, #endedHolds) do
        holds[endedHolds[k]], changed['h:' .. endedHolds[k]] = false, true
    end
    for k = 1, min(MOST - #endedHolds, #ended) do
        finish(shares[ended[k]])
    end
    local old, records = 0, 0
    held, instances, keepers, until_ = 0, 0, 0, huge
    for _, share in pairs(shares) do
        if share then
            held, instances, until_, records = held + sizeOf(share), instances + 1, min(until_, nextEnd(share)), records + 1
            old, share.counted = old + (share.epoch < since and 1 or 0), isKeeper(share)
            keepers = keepers + (share.counted and 1 or 0)
        end
    end
    for _, hold in pairs(holds) do
        if hold then
            held, until_, records = held + takenBy(hold), min(until_, hold.ending), records + 1
        end
    end
    unconfirmed, pause = unconfirmed < 0 and -1 or old, now + floor(records / SCANNED_PER_MILLI)
end

---- A statement

-- Finds out whether the server was started since the data was written.
local function notesNewRun(stated, knownFor, matches)
    local isNew = false
    if isMissing or not matches or stated ~= server then
        local info = redis.pcall('INFO', 'server')
        local actual = type(info) == 'string' and match(info, 'run_id:(%w+)') or stated
        isNew = not isMissing and server ~= '-' and actual ~= '-' and actual ~= server
        server = actual == '-' and server or actual
    end
    if isNew then
        since, unconfirmed = draw(), 0
        scan()
        grace = from + GRACE
    end
    if isMissing or isNew and unconfirmed == 0 then
        -- An instance that still states another run has not noticed the new one.
        knownFor = stated ~= '-' and stated ~= server and 0 or knownFor
        unconfirmed, grace = -1, knownFor >= 0 and knownFor < GRACE and from + GRACE - knownFor or 0
    end
    return isNew
end

-- Creates holds. What they take must be covered, by permits that were just returned or by room. Returns what is left of that.
local function hold(covered)
    for k = 20, 19 + 6 * ARGV[19], 6 do
        local id, weight, lease = ARGV[k], tonumber(ARGV[k + 1]), tonumber(ARGV[k + 2])
        if not holds[id] and lease > 0 and weight <= covered then
            holds[id] = { id = id, weight = weight, ending = from + lease, started = now - ARGV[k + 3], digest = ARGV[k + 4], by = '-', epoch = 0,
                granted = 0, method = ARGV[k + 5] }
            changed['h:' .. id], covered, held = true, covered - weight, held + weight
        end
    end
    return covered
end

local function returnPermits(mine, returned)
    local before = sizeOf(mine)
    mine.returned, mine.offered = max(mine.returned, returned), 0
    -- Of permits that were revoked, the instance may have returned some before it knew.
    mine.revoked = min(mine.revoked, mine.granted - mine.returned)
    held = held - before + sizeOf(mine)
    hold(before - sizeOf(mine))
end

-- Redis does not know this position: what is stated is admitted as far as there is room, in a new epoch.
local function claim(mine, permits, room)
    room, held = max(0, room + sizeOf(mine)), held - sizeOf(mine)
    room = hold(room)
    mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(), min(room, permits), 0, 0, 0
    held = held + mine.granted
    return mine.granted
end

-- Lets detached permits join the share, or tells again that they did; returns the text of them, and how many permits that is.
local function attach(mine, known, onlyTell)
    local texts, weight = {}, 0
    for k = 20 + 6 * ARGV[19], #ARGV, 2 do
        local hold = holds[ARGV[k]]
        if hold and not onlyTell and takenBy(hold) > 0 and hold.ending > now and hold.digest ~= '-' and hold.digest == ARGV[k + 1] then
            hold.by, hold.epoch, changed['h:' .. hold.id] = mine.name, mine.epoch, true
            mine.granted, grantedNow = mine.granted + hold.weight, grantedNow + hold.weight
            hold.granted = mine.granted
        end
        -- If the instance knows of so many permits, it knows that it has attached this one, and this is another try.
        if hold and hold.by == mine.name and hold.epoch == mine.epoch and known < hold.granted then
            texts[#texts + 1], weight = format('%s,%d,%d', hold.id, hold.weight, max(0, now - hold.started)), weight + hold.weight
        end
    end
    return texts[1] and concat(texts, ';') or '-', weight
end

-- Stores the needs of an instance without what it was granted and does not know of; returns the ticket of the new group, and what is left of that.
local function lineUp(mine, needs, unknown, limit)
    local given = 0
    mine.groups = {}
    for stated, group, weight, count in gmatch(needs, '(%d+),(%d+),(%d+),(%d+)') do
        stated, group, weight, count = tonumber(stated), tonumber(group), tonumber(weight), tonumber(count)
        if stated == 0 then
            if group ~= mine.group or mine.groupTicket == 0 then
                mine.group, mine.groupTicket = group, draw()
            end
            given = mine.groupTicket
        end
        local known = min(count, floor(max(0, unknown) / weight))
        unknown, count = unknown - known * weight, count - known
        -- Its instance learns the limit from the answer.
        if count > 0 and weight <= limit then
            mine.groups[#mine.groups + 1] = { ticket = stated == 0 and given or min(stated, ticket), weight = weight, count = count }
        end
    end
    enter(mine)
    return given, unknown
end

-- Serves calls that do not wait, if nobody does; returns whether one was refused.
local function serveImmediate(mine, needs, unknown, limit, other)
    local refused = false
    for weight, count in gmatch(needs, '(%d+),(%d+)') do
        weight, count = tonumber(weight), tonumber(count)
        local known = min(count, floor(max(0, unknown) / weight))
        unknown, count = unknown - known * weight, count - known
        local fit = (now < grace or other or mine.groups[1]) and 0 or min(count, floor(max(0, limit - held) / weight))
        if fit > 0 then
            grant(mine, fit * weight, true)
        end
        refused = refused or fit < count and weight <= limit
    end
    return refused
end

---- Keeping

local function note(name)
    if unmetBy ~= name then
        unmetBy, unmetElse = name, max(unmetAt, unmetElse)
    end
    unmetAt = now
end

-- Notes whose needs are not met; returns the instance if it is the only one.
local function noteUnmet(isMine, other)
    if isMine then
        note(me)
    end
    if not other then
        return isMine and me or nil
    end
    note(other)
    if not first(nil, me, other) then
        return not isMine and other or nil
    end
    note('*')
end

-- Recalls what others keep; returns how many instances can be expected to answer.
local function recall(mine, sole)
    local others = keepers - (isKeeper(mine) and 1 or 0)
    if others <= 0 or now < grace then
        return 0
    elseif now - recalledAt < RECALL then
        return min(expected, others)
    end
    recalledAt, expected = now, 0
    loadAll()
    for name, share in pairs(shares) do
        if share and share ~= mine and isKeeper(share) and name ~= sole then
            if share.recalled == 0 then
                share.recalled, changed['i:' .. name] = now, true
            end
            expected = expected + (now - share.recalled < DEAF and 1 or 0)
            messages[#messages + 1] = { name, format('recalled %d ', share.number) }
        end
    end
    return expected
end

-- Notes a limit now and then; returns the other ones of the last minute.
local function declare(limit)
    local others, texts, noted = {}, {}, nil
    for declared, when in gmatch(limits, '(%d+):(%d+)') do
        if now - when < DECLARED_LASTS then
            if declared == limit then
                noted = tonumber(when)
            else
                others[#others + 1], texts[#texts + 1] = tonumber(declared), ' ' .. declared .. ':' .. when
            end
        end
    end
    if not noted or now - noted >= DECLARED_REFRESHED then
        limits, changed.limits = format('%s:%d', limit, now) .. concat(texts, '', 1, min(#texts, DECLARED_MOST - 1)), true
    end
    table.sort(others)
    return others[1] and concat(others, ',') or '-'
end

---- Write

-- Redis refuses the first write of a script if that may need memory and there is none. Renewals and returns must pass, so they begin with another one.
local function write(needsNothing)
    if needsNothing then
        call('HDEL', SHARES, '-')
    end
    local put, gone = {}, {}
    for field in pairs(changed) do
        local kind, name = sub(field, 1, 2), sub(field, 3)
        local share, hold, text = kind == 'i:' and shares[name], kind == 'h:' and holds[name], nil
        if share then
            countKeeper(share)
            until_, keepUntil = min(until_, nextEnd(share)), max(keepUntil, share.ending, share.stated + WAITER)
            local groups = {}
            for k, group in ipairs(share.groups) do
                groups[k] = format('%d,%d,%d', group.ticket, group.weight, group.count)
            end
            text = format('%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %s', share.number, share.epoch, share.granted, share.offered, share.returned,
                share.revoked, share.ending, share.stated, share.keeps and 1 or 0, share.recalled, share.served, share.group, share.groupTicket,
                share.lease, share.limit, groups[1] and concat(groups, ';') or '-')
        elseif hold then
            until_, keepUntil = min(until_, hold.ending), max(keepUntil, hold.ending)
            text = format('%d %d %d %s %s %d %d %s', hold.weight, hold.ending, hold.started, hold.digest, hold.by, hold.epoch, hold.granted,
                hold.method)
        elseif field == 'limits' then
            text = limits
        elseif field == 'limit' and resized then
            text = format('%d', resized)
        end
        if text then
            put[#put + 1], put[#put + 2] = field, text
        else
            gone[#gone + 1] = field
        end
    end
    keepUntil = max(keepUntil, grace)
    local isKeptLonger = keepUntil + SLACK > kept
    kept = isKeptLonger and keepUntil + 2 * SLACK or kept
    put[#put + 1], put[#put + 2] = 'bulkhead', format('%s %s %d %d %d %d %d %d %d %s %d %d %d %d %s %d %d %d %d', LAYOUT, server, since, grace,
        unconfirmed, ticket, micros, offset, held, until_ == huge and '-' or format('%d', until_), pause, kept, instances, keepers, unmetBy, unmetAt,
        unmetElse, recalledAt, expected)
    local entering, leaving, places, wasEmpty = {}, {}, {}, not line[1]
    for _, place in ipairs(moved) do
        places[place.name] = place.ticket
    end
    for name in pairs(stale) do
        if places[name] and places[name] ~= wasAt[name] then
            entering[#entering + 1], entering[#entering + 2] = format('%d', places[name]), name
        elseif not places[name] and (wasAt[name] or not readWhole) then
            leaving[#leaving + 1] = name
        end
    end
    call('HSET', SHARES, unpack(put))
    if gone[1] then
        call('HDEL', SHARES, unpack(gone))
    end
    if entering[1] then
        call('ZADD', QUEUE, unpack(entering))
    end
    if leaving[1] then
        call('ZREM', QUEUE, unpack(leaving))
    end
    if isKeptLonger then
        call('PEXPIRE', SHARES, kept - now)
    end
    if isKeptLonger or wasEmpty and entering[1] then
        call('PEXPIRE', QUEUE, kept - now)
    end
    for _, message in ipairs(messages) do
        redis.pcall('PUBLISH', message[1], message[2] .. SHARES)
    end
end

---- Operations

local function position(mine, number, granted, admitted, lease, limit, given, other, mayKeep, recalled, askAgain, tokens, attached, otherLimits)
    return format('%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %s %s %s', number, mine.epoch, granted, admitted, mine.revoked, lease, limit, given,
        mine.served, other and 1 or 0, mayKeep and 1 or 0, recalled, max(0, grace - now), askAgain, tokens > 0 and draw(tokens) or 0, tokens, server,
        attached, otherLimits)
end

local function sync()
    local number, epoch, granted, returned, revoked = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
    local lease, declared, needs, immediate = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[17], ARGV[18]
    ticket = max(ticket, tonumber(ARGV[13]))
    if now >= until_ and now >= pause then
        scan()
    end
    local mine = shares[me]
    if mine and number <= mine.number then
        -- It changes nothing, and what was offered since is no part of the answer.
        local group = match(needs, '^0,(%d+)') or match(needs, ';0,(%d+)')
        return position(mine, number, mine.granted - mine.offered, 0, sizeOf(mine) > mine.offered and mine.lease or 0, resized or mine.limit,
            tonumber(group or nil) == mine.group and mine.groupTicket or 0, first(nil, me), false, 0, 0, 0, attach(mine, granted, true), '-')
    end
    local matches = mine and epoch == mine.epoch and epoch >= since and granted <= mine.granted
    if notesNewRun(ARGV[15], tonumber(ARGV[16]), matches) then
        matches, mine = false, shares[me]
    end
    local limit = resized or declared
    local room = now < grace and MOST_COUNTED or limit - held
    if not mine then
        mine = { name = me, epoch = 0, granted = 0, offered = 0, returned = 0, revoked = 0, ending = 0, served = 0, group = 0, groupTicket = 0, groups = {} }
        shares[me], instances = mine, instances + 1
    elseif mine.epoch < since and unconfirmed > 0 then
        unconfirmed = unconfirmed - 1
    end
    local admitted = 0
    if matches then
        returnPermits(mine, returned)
    else
        admitted = claim(mine, granted - returned - revoked, room)
    end
    local attached, weight = attach(mine, matches and granted or -1)
    grace = unconfirmed == 0 and 0 or grace
    mine.number, mine.stated, mine.lease, mine.limit, mine.recalled = number, from, lease, declared, 0
    mine.ending, changed['i:' .. me] = max(mine.ending, from + lease), true
    local given, unknown = lineUp(mine, needs, matches and mine.granted - granted - weight or 0, limit)
    serve(mine)
    local other = first(nil, me)
    local refused = serveImmediate(mine, immediate, unknown, limit, other)
    local isUnmet = refused or mine.groups[1] ~= nil
    local sole = noteUnmet(isUnmet, other)
    local mayKeep = ARGV[12] == '1' and now >= grace and instances <= MOST_KEEPERS
        and now - (unmetBy == me and unmetElse or max(unmetAt, unmetElse)) > UNMET
    mine.keeps = ARGV[11] == '1' or mayKeep
    countKeeper(mine)
    local recalled = (isUnmet or other) and recall(mine, sole) or 0
    local otherLimits = declare(ARGV[10])
    tellOffers()
    local tokens = min(MOST_TOKENS, tonumber(ARGV[14]) + (grantedNow > 0 and grantedNow + MORE_TOKENS or 0))
    local change = min(mine.groups[1] and max(until_, pause) or huge, now < grace and grace or huge)
    local answer = position(mine, number, mine.granted, admitted, sizeOf(mine) > 0 and lease or 0, limit, given, other, mayKeep, recalled,
        change == huge and 0 or max(1, change - now), tokens, attached, otherLimits)
    write(needs == '' and immediate == '')
    return answer
end

local function revoke()
    local name, id, taken = ARGV[3], ARGV[4], 0
    if isMissing then
        return 0
    elseif name == '' then
        local text = call('HGET', SHARES, 'h:' .. id)
        local hold = text and parseHold(id, text)
        if hold and hold.ending > now then
            taken = takenBy(hold)
            hold.weight, holds[id], changed['h:' .. id] = hold.weight - taken, hold, true
        end
    else
        local share = shareOf(name)
        if share and share.ending > now then
            -- An offer ends by itself, and its instance may not know it yet.
            taken = max(0, min(tonumber(ARGV[5]), sizeOf(share) - share.offered))
            share.revoked, changed['i:' .. name] = share.revoked + taken, true
            messages[1] = { name, 'changed ' }
        end
    end
    held = held - taken
    serve()
    tellOffers()
    write()
    return taken
end

local function resize()
    local before, limit = resized, tonumber(ARGV[3])
    resized, keepUntil, changed.limit = limit > 0 and limit or nil, limit > 0 and from + LIMIT_SET_LASTS or 0, true
    if isMissing and limit == 0 then
        return 0
    end
    loadAll()
    for name, share in pairs(shares) do
        messages[#messages + 1] = #messages < MOST and { name, 'changed ' } or nil
    end
    serve()
    tellOffers()
    write()
    return before and 1 or 0
end

local operations = { sync = sync, revoke = revoke, resize = resize }
return operations[OPERATION]()
