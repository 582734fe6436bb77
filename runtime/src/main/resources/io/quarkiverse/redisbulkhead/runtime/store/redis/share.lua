-- One step of one bulkhead: an instance states its position, and the answer states it as Redis has it. ShareMachine does the same in Java.
--
-- KEYS[1] shares   hash: the fields below
-- KEYS[2] waiting  sorted set: instance -> ticket of its first calls that wait; without any, 2^53 minus its limit, if it gets a message when a
--                  permit is free; heals from the hash, and the hash from statements
--
-- Fields, each a JSON array of these values in order. '' and 2^53 are none; times are ms, tickets and clocks us.
--   bulkhead       layout, run id of the server under which this was written, epochs below this are of an earlier run, end of the grace period,
--                  instances of an earlier run that have not stated their position (-1: do not count), last ticket, last time, clock set back by,
--                  permits in shares and holds, lower bound of all ends, no scan before, TTL ends, instances, keepers, instance with the last
--                  unmet need, when that was, when another one's was, last recall, how many were expected to answer it, limit that was declared
--                  last, another one before, until when that was declared
--   limit          the limit that an operator set, a number
--   i:<instance>   number of its last statement, epoch, granted, part of it that is an offer, returned, revoked, end of the lease, last statement,
--                  keeps, first recall that it has not answered, highest ticket served, last group with a new ticket, that ticket, lease, limit,
--                  1 if it gets a message when a permit is free, calls that wait: for each group ticket, weight, count
--   h:<id>         a permit that no instance holds: weight (0: revoked), end, started, digest, instance that attached it, epoch and granted then, method
-- An instance is named by the channel on which it receives messages. To list the shares:
--   redis-cli hgetall '<key>' | awk -F'[][,]' '/^i:/ {i=$0; getline; print i, $4-$6-$7}'
--
-- ARGV[1] layout; ARGV[2] operation; then
--   'sync'    a JSON array: instance, number, epoch, granted, returned, revoked, lease, limit, whether it keeps, whether it wants to, highest ticket
--             or token it has seen, tokens it wants, run id of the server or '', for how long it has known this one after another one or -1,
--             calls that wait: ticket (0: none yet), group, weight, count; calls that do not wait: weight, count;
--             holds: id, weight, lease, for how long it has run, digest or '', method; permits to attach: id, digest
--   'revoke'  instance or '', permit id, permits
--   'resize'  limit, or 0 to undo
--
-- Reply to 'sync', a list: number, epoch, granted, admitted, revoked, lease, limit, ticket of the new group, highest ticket served, others wait, may
--   keep, recalled, full, grace, ask again in, first token, tokens, run id or '', what was attached: id, weight (0 for a hold that was refused),
--   for how long it has run; another declared limit of the last minute or 0
-- to 'revoke' the number of permits; to 'resize' 1 if there was a limit, else 0
--
-- Messages, to the channel of the instance: 'granted <number> <epoch> <granted> <revoked> <served> <others wait> <first token> <tokens> <KEYS[1]>',
--   'recalled <number> <KEYS[1]>', 'freed <number> <KEYS[1]>', 'changed <KEYS[1]>'
--
-- Both keys are read before any is written, so a key of a foreign type stops the script with nothing changed. %d writes all digits of a number.

local call, format, concat, floor, max, min, decode = redis.call, string.format, table.concat, math.floor, math.max, math.min, cjson.decode
local SHARES, QUEUE, LAYOUT, OPERATION = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

-- Milliseconds; ShareStore explains them. What only one function needs stands there: each variable of the chunk that functions capture makes
-- each step a little longer, twenty of them by a twentieth.
local OFFER, WAITER, RECALL = 3000, 3000, 200
-- How many instances a step serves, skips or ends; a grant brings a token for each call and so many more, and so many at most.
local MOST, MORE_TOKENS, MOST_TOKENS = 1000, 16, 1048576
local NEVER = 9007199254740992

---- Texts: JSON arrays. One call of Lua reads or writes all values of a record. cjson cannot write 2^53, format can.

local function totalsOf(v)
    return { layout = v[1], server = v[2], since = v[3], grace = v[4], unconfirmed = v[5], ticket = v[6], clock = v[7], offset = v[8], held = v[9],
        nextEnd = v[10], pause = v[11], kept = v[12], instances = v[13], keepers = v[14], unmetBy = v[15], unmetAt = v[16], unmetElse = v[17],
        recalledAt = v[18], expected = v[19], declared = v[20], other = v[21], otherUntil = v[22] }
end

local function textOfTotals(all)
    return format('[%d,"%s",%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,"%s",%d,%d,%d,%d,%d,%d,%d]', all.layout, all.server, all.since, all.grace,
        all.unconfirmed, all.ticket, all.clock, all.offset, all.held, all.nextEnd, all.pause, all.kept, all.instances, all.keepers, all.unmetBy,
        all.unmetAt, all.unmetElse, all.recalledAt, all.expected, all.declared, all.other, all.otherUntil)
end

local function shareOf(v)
    local groups = {}
    for k, group in ipairs(v[17]) do
        groups[k] = { ticket = group[1], weight = group[2], count = group[3] }
    end
    return { number = v[1], epoch = v[2], granted = v[3], offered = v[4], returned = v[5], revoked = v[6], ending = v[7], stated = v[8], keeps = v[9],
        recalled = v[10], served = v[11], group = v[12], groupTicket = v[13], lease = v[14], limit = v[15], full = v[16], groups = groups }
end

local function textOfShare(share)
    local groups = {}
    for k, group in ipairs(share.groups) do
        groups[k] = format('[%d,%d,%d]', group.ticket, group.weight, group.count)
    end
    return format('[%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,[%s]]', share.number, share.epoch, share.granted, share.offered, share.returned,
        share.revoked, share.ending, share.stated, share.keeps, share.recalled, share.served, share.group, share.groupTicket, share.lease, share.limit,
        share.full, concat(groups, ','))
end

local function holdOf(v)
    return { weight = v[1], ending = v[2], started = v[3], digest = v[4], by = v[5], epoch = v[6], granted = v[7], method = v[8] }
end

local function textOfHold(hold)
    return format('[%d,%d,%d,"%s","%s",%d,%d,%s]', hold.weight, hold.ending, hold.started, hold.digest, hold.by, hold.epoch, hold.granted,
        cjson.encode(hold.method))
end

local function statementOf(v)
    return { instance = v[1], number = v[2], epoch = v[3], granted = v[4], returned = v[5], revoked = v[6], lease = v[7], limit = v[8], keeps = v[9],
        wants = v[10], highest = v[11], tokens = v[12], server = v[13], serverSince = v[14], waiting = v[15], immediate = v[16], holds = v[17],
        attaches = v[18] }
end

---- Load

local time = call('TIME')
local statement = OPERATION == 'sync' and statementOf(decode(ARGV[3]))
local mineField = statement and 'i:' .. statement.instance
local found = call('HMGET', SHARES, 'bulkhead', 'limit', mineField or '-')
local stored, resized, isMissing = found[1], tonumber(found[2] or nil), not found[1]
-- The first two of the queue; nil when they have changed. And whether the key may exist.
local heads = call('ZRANGE', QUEUE, 0, 1)
local isAwaited = heads[1] ~= nil
local isQueueUsed = isAwaited
stored = stored or '[' .. LAYOUT .. ',"",0,0,-1,0,0,0,0,9007199254740992,0,0,0,0,"",0,0,0,0,0,0,0]'
local layout = string.match(stored, '^%[?([^%s,]*)')
if layout ~= LAYOUT then
    return redis.error_reply('LAYOUT ' .. layout)
end
local all = totalsOf(decode(stored))

-- Records by field, false for a missing one; fields that have changed; instances that were offered permits, in order.
local records, changed, offers = {}, {}, {}
local budget, callsServed, keepUntil = MOST, 0, 0

-- A clock that was set back ends nothing later, and one that has caught up ends nothing early.
local wall = time[1] * 1000000 + time[2]
all.offset = wall >= all.clock and 0 or max(all.offset, all.clock - wall)
local micros, before = wall + all.offset, floor(all.clock / 1000)
-- What ends by now has ended. What ends so long after `from` has had its full time.
local now, from = floor(micros / 1000), -floor(-micros / 1000)

-- When a function is created, Lua searches for each variable of the chunk that it captures. If the function around it has captured them,
-- Lua need not search: that saves a tenth of the time.
local function step()

    ---- Records

    local function sizeOf(share)
        return share.granted - share.returned - share.revoked
    end

    local function isKeeper(share)
        return share.keeps == 1 and sizeOf(share) > 0
    end

    local function belongsInQueue(share)
        return share.groups[1] or share.full == 1
    end

    local function load(field, text)
        local record = (string.sub(field, 1, 2) == 'i:' and shareOf or holdOf)(decode(text))
        records[field], record.field, record.name = record, field, string.sub(field, 3)
        if record.groups then
            record.counted, record.isQueued = isKeeper(record), belongsInQueue(record)
        end
    end

    local function recordOf(field)
        local text = records[field] == nil and (field == mineField and found[3] or call('HGET', SHARES, field))
        if text then
            load(field, text)
        end
        return records[field]
    end

    local function loadAll()
        local texts = call('HGETALL', SHARES)
        for k = 1, #texts, 2 do
            if records[texts[k]] == nil and string.match(texts[k], '^[ih]:') then
                load(texts[k], texts[k + 1])
            end
        end
    end

    local function takenBy(record)
        if record.groups then
            return sizeOf(record)
        end
        return record.by == '' and record.weight or 0
    end

    local function nextEnd(record)
        if not record.groups then
            return record.ending
        elseif record.offered > 0 then
            return min(record.ending, record.stated + OFFER)
        end
        return sizeOf(record) > 0 and record.ending or max(record.ending, record.stated + WAITER)
    end

    local function isAlive(share)
        local FULL = 100
        return belongsInQueue(share) and now - share.stated < (share.groups[1] and WAITER or FULL)
    end

    local function countKeeper(share)
        local is = isKeeper(share)
        if is and not share.counted then
            -- The last recall did not reach it.
            all.recalledAt = 0
        end
        all.keepers, share.counted = all.keepers + (is and 1 or 0) - (share.counted and 1 or 0), is
    end

    local function draw(count)
        local first = max(all.ticket + 1, micros)
        all.ticket = first + (count or 1) - 1
        return first
    end

    -- What a step leaves undone, the next one does.
    local function spend()
        budget = budget - 1
        all.nextEnd = budget == 0 and now or all.nextEnd
    end

    local function tell(share, text)
        redis.pcall('PUBLISH', share.name, text .. ' ' .. SHARES)
    end

    ---- The queue

    local function leave(name)
        heads = nil
        call('ZREM', QUEUE, name)
    end

    local function enter(share)
        if belongsInQueue(share) then
            heads, isQueueUsed = nil, true
            -- The highest limit comes first, because its instance is the first for which a permit is free.
            call('ZADD', QUEUE, format('%d', share.groups[1] and share.groups[1].ticket or NEVER - share.limit), share.name)
        elseif share.isQueued then
            leave(share.name)
        end
        share.isQueued = belongsInQueue(share)
    end

    -- The first in the queue, apart from one; removes those that are dead or want nothing any more. Those with calls that wait come first.
    local function first(caller, apart)
        while true do
            heads = heads or call('ZRANGE', QUEUE, 0, 1)
            local name = heads[1] == apart and heads[2] or heads[1] ~= apart and heads[1]
            local share = name and recordOf('i:' .. name)
            if not name or share and (share == caller or isAlive(share)) then
                return share
            elseif budget == 0 then
                return nil
            end
            spend()
            leave(name)
            if share then
                share.groups, share.full, share.isQueued, changed[share.field] = {}, 0, false, true
            end
        end
    end

    -- Notes whose needs were not met.
    local function noteUnmet(name)
        if all.unmetBy ~= name then
            all.unmetBy, all.unmetElse = name, max(all.unmetAt, all.unmetElse)
        end
        all.unmetAt = now
    end

    local function grant(share, calls, weight, isCaller)
        local permits = calls * weight
        share.granted, all.held = share.granted + permits, all.held + permits
        if isCaller then
            callsServed = callsServed + calls
        else
            if not share.callsServed then
                share.callsServed, offers[#offers + 1] = 0, share
            end
            share.offered, share.callsServed = share.offered + permits, share.callsServed + calls
            -- An instance trusts an offer for so long, whatever its lease is.
            share.ending = max(share.ending, share.stated + OFFER)
            noteUnmet(share.name)
        end
    end

    -- Gives what is free to the queue in ticket order. A heavy head blocks.
    local function serve(caller)
        local share = first(caller)
        while share and share.groups[1] and budget > 0 do
            local group, limit = share.groups[1], resized or share.limit
            local fit = now < all.grace and 0 or min(group.count, floor(max(0, limit - all.held) / group.weight))
            if group.weight <= limit and fit == 0 then
                return
            end
            spend()
            if fit > 0 then
                grant(share, fit, group.weight, share == caller)
                share.served, group.count = max(share.served, group.ticket), group.count - fit
            end
            if group.count == 0 or group.weight > limit then
                table.remove(share.groups, 1)
            end
            changed[share.field] = true
            enter(share)
            share = first(caller)
        end
    end

    -- Whether calls of other instances than that one wait.
    local function isWaitedBeside(name)
        local other = first(nil, name)
        return other and other.groups[1] and 1 or 0
    end

    -- How many tokens each instance that gets some in this step may have: not more together than the clock has advanced, so that tokens do not
    -- run further ahead of the clock with each step. They begin with it again if data is lost.
    local function spareTokens()
        return floor((micros - all.clock) / (#offers + 1))
    end

    local function tellOffers()
        -- For each us of the 10 ms for which an instance may pass permits on.
        local TURN_TOKENS = 10000
        for _, share in ipairs(offers) do
            -- A single permit may protect data by its tokens, which must not be ahead of the clock.
            local spare = (resized or share.limit) > 1 and min(TURN_TOKENS, spareTokens()) or 0
            local count = min(MOST_TOKENS, share.callsServed + max(MORE_TOKENS, spare))
            tell(share, format('granted %d %d %d %d %d %d %d %d', share.number, share.epoch, share.granted, share.revoked, share.served,
                isWaitedBeside(share.name), draw(count), count))
        end
    end

    -- Notifies instances that reject calls by themselves: a permit is free.
    local function tellFreed()
        local share = first()
        while share and not share.groups[1] and all.held < (resized or share.limit) and budget > 0 do
            spend()
            noteUnmet(share.name)
            tell(share, format('freed %d', share.number))
            share.full, changed[share.field] = 0, true
            enter(share)
            share = first()
        end
    end

    ---- Time

    -- Removes what has ended, and counts the totals again.
    local function scan()
        -- After a scan, none for a millisecond per so many records: it takes about 7 us per record, so 7 % of the server.
        local SCANNED_PER_MILLI = 10
        loadAll()
        local epoch, old, count = draw(), 0, 0
        all.held, all.instances, all.keepers, all.nextEnd = 0, 0, 0, NEVER
        for field, record in pairs(records) do
            if record and nextEnd(record) <= now and budget > 0 then
                spend()
                changed[field] = true
                local isOfferOver = record.groups and record.offered > 0 and record.stated + OFFER <= now
                local isLeaseOver = record.groups and sizeOf(record) > 0 and record.ending <= now
                if isOfferOver or isLeaseOver then
                    -- What is left begins a new epoch, and late copies of statements may follow.
                    record.granted = isLeaseOver and 0 or sizeOf(record) - record.offered
                    record.epoch, record.offered, record.returned, record.revoked = epoch, 0, 0, 0
                    record.ending, record.keeps = isLeaseOver and from + record.lease or record.ending, isLeaseOver and 0 or record.keeps
                else
                    records[field] = false
                    if record.groups and record.isQueued then
                        leave(record.name)
                    end
                end
            end
            if records[field] then
                all.held, all.nextEnd, count = all.held + takenBy(record), min(all.nextEnd, nextEnd(record)), count + 1
                if record.groups then
                    all.instances, old, record.counted = all.instances + 1, old + (record.epoch < all.since and 1 or 0), isKeeper(record)
                    all.keepers = all.keepers + (record.counted and 1 or 0)
                end
            end
        end
        all.unconfirmed, all.pause = all.unconfirmed < 0 and -1 or old, now + floor(count / SCANNED_PER_MILLI)
    end

    ---- A statement

    -- Finds out whether the server was started since the data was written.
    local function notesNewRun(matches)
        local GRACE = 2000
        local stated, knownFor, isNew = statement.server, statement.serverSince, false
        if isMissing or not matches or stated ~= all.server then
            local info = redis.pcall('INFO', 'server')
            local actual = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or stated
            isNew = not isMissing and all.server ~= '' and actual ~= '' and actual ~= all.server
            all.server = actual == '' and all.server or actual
        end
        if isNew then
            all.since, all.unconfirmed = draw(), 0
            scan()
            all.grace = from + GRACE
        end
        if isMissing or isNew and all.unconfirmed == 0 then
            -- An instance that still states another run has not noticed the new one.
            knownFor = stated ~= '' and stated ~= all.server and 0 or knownFor
            all.unconfirmed, all.grace = -1, knownFor >= 0 and knownFor < GRACE and from + GRACE - knownFor or 0
        end
        return isNew
    end

    -- Creates holds. What they take must be covered, by permits that were just returned or by room. Returns what is left of that.
    local function hold(covered)
        for _, stated in ipairs(statement.holds) do
            local id, weight, lease, hasRun, digest, method = unpack(stated)
            local field = 'h:' .. id
            if not recordOf(field) and lease > 0 and weight <= covered then
                records[field] = { field = field, name = id, weight = weight, ending = from + lease, started = now - hasRun, digest = digest, by = '',
                    epoch = 0, granted = 0, method = method }
                changed[field], covered, all.held = true, covered - weight, all.held + weight
            end
        end
        return covered
    end

    local function returnPermits(mine)
        local before = sizeOf(mine)
        mine.returned, mine.offered = max(mine.returned, statement.returned), 0
        -- Of permits that were revoked, the instance may have returned some before it knew.
        mine.revoked = min(mine.revoked, mine.granted - mine.returned)
        all.held = all.held - before + sizeOf(mine)
        hold(before - sizeOf(mine))
    end

    -- Redis does not know this position: what is stated is admitted as far as there is room, in a new epoch.
    local function claim(mine, permits, room)
        local freed = sizeOf(mine)
        -- A permit whose attaching was answered, but the answer was lost, leaves the share, to be attached again.
        for _, wish in ipairs(statement.attaches) do
            local other = recordOf('h:' .. wish[1])
            if other and other.by == mine.name and other.epoch == mine.epoch and other.weight <= freed then
                other.by, freed, changed[other.field] = '', freed - other.weight, true
            end
        end
        room, all.held = max(0, room + freed), all.held - freed
        room = hold(room)
        mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(), min(room, permits), 0, 0, 0
        all.held = all.held + mine.granted
        return mine.granted
    end

    -- Lets detached permits join the share, or tells again that they did; returns them and how many permits that is, after the stated holds that
    -- Redis does not have, as permits of weight 0.
    local function attach(mine, known, onlyTell)
        local attached, weight = {}, 0
        for _, stated in ipairs(statement.holds) do
            if not recordOf('h:' .. stated[1]) then
                attached[#attached + 1] = { stated[1], 0, 0 }
            end
        end
        for _, wish in ipairs(statement.attaches) do
            local hold = recordOf('h:' .. wish[1])
            if hold and not onlyTell and takenBy(hold) > 0 and hold.ending > now and hold.digest ~= '' and hold.digest == wish[2] then
                mine.granted = mine.granted + hold.weight
                hold.by, hold.epoch, hold.granted, changed[hold.field] = mine.name, mine.epoch, mine.granted, true
            end
            -- If the instance knows of so many permits, it knows that it has attached this one, and this is another try.
            if hold and hold.by == mine.name and hold.epoch == mine.epoch and known < hold.granted then
                attached[#attached + 1], weight = { hold.name, hold.weight, max(0, now - hold.started) }, weight + hold.weight
                callsServed = callsServed + 1
            end
        end
        return attached, weight
    end

    -- How many of so many calls were granted permits that their instance does not know of, and how many such permits are left.
    local function known(count, weight, unknown)
        local calls = min(count, floor(max(0, unknown) / weight))
        return calls, unknown - calls * weight
    end

    -- Stores the needs of an instance without what it was granted and does not know of; returns the ticket of the new group, and what is left of that.
    local function lineUp(mine, unknown, limit)
        local given, latest, calls = 0, all.ticket, 0
        mine.groups = {}
        for _, need in ipairs(statement.waiting) do
            local stated, group, weight, count = unpack(need)
            if stated == 0 then
                if group ~= mine.group or mine.groupTicket == 0 then
                    mine.group, mine.groupTicket = group, draw()
                end
                given = mine.groupTicket
            end
            calls, unknown = known(count, weight, unknown)
            -- Its instance learns the limit from the answer.
            if count > calls and weight <= limit then
                mine.groups[#mine.groups + 1] = { ticket = stated == 0 and given or min(stated, latest), weight = weight, count = count - calls }
            end
        end
        enter(mine)
        return given, unknown
    end

    -- Serves calls that do not wait, if no call waits; returns whether one was refused.
    local function serveImmediate(mine, unknown, limit, other)
        local refused, calls = false, 0
        for _, need in ipairs(statement.immediate) do
            local weight, count = need[1], need[2]
            calls, unknown = known(count, weight, unknown)
            local fit = (now < all.grace or other or mine.groups[1]) and 0 or min(count - calls, floor(max(0, limit - all.held) / weight))
            if fit > 0 then
                grant(mine, fit, weight, true)
            end
            refused = refused or fit < count - calls and weight <= limit
        end
        return refused
    end

    -- Recalls what others keep, so many instances; returns how many can be expected to answer.
    local function recall(mine, others)
        local DEAF = 1000
        if others <= 0 or now < all.grace then
            return 0
        elseif now - all.recalledAt < RECALL then
            return min(all.expected, others)
        end
        all.recalledAt, all.expected = now, 0
        loadAll()
        for field, share in pairs(records) do
            if share and share.groups and share ~= mine and isKeeper(share) then
                if share.recalled == 0 then
                    share.recalled, changed[field] = now, true
                end
                all.expected = all.expected + (now - share.recalled < DEAF and 1 or 0)
                tell(share, format('recalled %d', share.number))
            end
        end
        return all.expected
    end

    ---- Write

    local function write()
        local SLACK, puts = 1000, {}
        for field in pairs(changed) do
            local record = records[field]
            if not record then
                call('HDEL', SHARES, field)
            else
                all.nextEnd, keepUntil = min(all.nextEnd, nextEnd(record)), max(keepUntil, record.ending)
                if record.groups then
                    countKeeper(record)
                    keepUntil = max(keepUntil, record.stated + WAITER)
                end
                puts[#puts + 1], puts[#puts + 2] = field, record.groups and textOfShare(record) or textOfHold(record)
            end
        end
        keepUntil = max(keepUntil, all.grace)
        local isKeptLonger = keepUntil + SLACK > all.kept
        all.kept, all.clock = isKeptLonger and keepUntil + 2 * SLACK or all.kept, micros
        puts[#puts + 1], puts[#puts + 2] = 'bulkhead', textOfTotals(all)
        for k = 1, #puts, MOST do
            call('HSET', SHARES, unpack(puts, k, min(k + MOST - 1, #puts)))
        end
        if isKeptLonger then
            call('PEXPIRE', SHARES, all.kept - now)
        end
        if isQueueUsed then
            -- It may have become empty meanwhile, and another key since.
            call('PEXPIRE', QUEUE, all.kept - now)
        end
    end

    ---- Answers

    local function answer(mine, position)
        position.number, position.epoch, position.revoked, position.served = statement.number, mine.epoch, mine.revoked, mine.served
        position.grace, position.server = max(0, all.grace - now), all.server
        position.firstToken = position.tokens > 0 and draw(position.tokens) or 0
        write()
        return { position.number, position.epoch, position.granted, position.admitted, position.revoked, position.lease, position.limit,
            position.ticket, position.served, position.othersWait, position.mayKeep, position.recalled, position.full, position.grace,
            position.askAgain, position.firstToken, position.tokens, position.server, position.attached, position.otherLimit }
    end

    -- A statement that is not newer than the last one changes nothing, and what was offered since is no part of the answer.
    local function repeatAnswer(mine, claimed)
        local attached, weight = attach(mine, statement.epoch == mine.epoch and statement.granted or -1, true)
        -- Only the last group can be without a ticket.
        local last = statement.waiting[#statement.waiting]
        local repeatsGroup = last and last[1] == 0 and last[2] == mine.group
        local confirmed = sizeOf(mine) - mine.offered
        return answer(mine, { granted = mine.granted - mine.offered, admitted = max(0, min(claimed, confirmed - weight)),
            lease = confirmed > 0 and mine.lease or 0, limit = resized or mine.limit, othersWait = isWaitedBeside(mine.name), mayKeep = 0, recalled = 0, full = 0,
            ticket = repeatsGroup and mine.groupTicket or 0, askAgain = 0, tokens = 0, attached = attached, otherLimit = 0 })
    end

    ---- The step

    if isMissing and (OPERATION == 'revoke' or OPERATION == 'resize' and ARGV[3] == '0') then
        return 0
    end
    -- Refused if memory is full, before anything has changed.
    -- Renewals and returns must pass also then, so they begin with a write that needs no memory.
    if statement and not statement.waiting[1] and not statement.immediate[1] then
        call('HDEL', SHARES, '-')
    else
        call('HSET', SHARES, 'bulkhead', stored)
    end
    -- Calls that wait are stated every second. If none was, the server itself was away, so the places of those that were alive before
    -- last until their instances had time to state them. Once, because it may also be that all of them are dead.
    local STANDSTILL, RESTATED = 2000, 1500
    if statement and isAwaited and now - before >= STANDSTILL then
        loadAll()
        for field, record in pairs(records) do
            if record and record.groups and record.groups[1] and before - record.stated < WAITER - RESTATED then
                record.stated, changed[field] = max(record.stated, now - WAITER + RESTATED), true
            end
        end
    end
    if now >= all.nextEnd and now >= all.pause then
        scan()
    end
    if statement then
        -- With more instances, none may keep, and none gets a message when a permit is free.
        local MOST_KEEPERS, MOST_NOTIFIED = 64, 16
        -- Counters stay below 2^53 by far.
        local UNMET, DECLARED_LASTS, MOST_COUNTED = 1000, 60000, 4503599627370496
        local claimed = statement.granted - statement.returned - statement.revoked
        all.ticket = max(all.ticket, statement.highest)
        local mine = recordOf(mineField)
        if mine and statement.number <= mine.number then
            return repeatAnswer(mine, claimed)
        end
        local matches = mine and statement.epoch == mine.epoch and mine.epoch >= all.since and statement.granted <= mine.granted
        if notesNewRun(matches) then
            matches, mine = false, recordOf(mineField)
        end
        local limit = resized or statement.limit
        local room = now < all.grace and MOST_COUNTED or limit - all.held
        if not mine then
            mine = { field = mineField, name = statement.instance, epoch = 0, granted = 0, offered = 0, returned = 0, revoked = 0, ending = 0, served = 0, group = 0,
                groupTicket = 0, groups = {} }
            records[mine.field], all.instances = mine, all.instances + 1
        elseif mine.epoch < all.since and all.unconfirmed > 0 then
            all.unconfirmed = all.unconfirmed - 1
        end
        local admitted = 0
        if matches then
            returnPermits(mine)
        else
            admitted = claim(mine, claimed, room)
        end
        local attached, weight = attach(mine, matches and statement.granted or -1)
        all.grace = all.unconfirmed == 0 and 0 or all.grace
        mine.number, mine.stated, mine.lease, mine.limit, mine.recalled, mine.full = statement.number, from, statement.lease, statement.limit, 0, 0
        mine.ending, changed[mineField] = max(mine.ending, from + mine.lease), true
        local given, unknown = lineUp(mine, matches and mine.granted - statement.granted - weight or 0, limit)
        serve(mine)
        local othersWait = isWaitedBeside(mine.name)
        local isUnmet = serveImmediate(mine, unknown, limit, othersWait == 1) or mine.groups[1] ~= nil
        if isUnmet then
            noteUnmet(mine.name)
        end
        mine.keeps = statement.keeps and 1 or 0
        countKeeper(mine)
        local others = all.keepers - (mine.counted and 1 or 0)
        -- A recall does not reach the instance that needs it. If that kept permits, others would wait for them until the next recall.
        local mayKeep = statement.wants and othersWait == 0 and not (isUnmet and others > 0) and now >= all.grace and all.instances <= MOST_KEEPERS
            and now - (all.unmetBy == mine.name and all.unmetElse or max(all.unmetAt, all.unmetElse)) > UNMET
        mine.keeps = (statement.keeps or mayKeep) and 1 or 0
        countKeeper(mine)
        local recalled = isUnmet and recall(mine, others) or 0
        -- No permit is free, none is kept, and no call waits: this instance rejects calls until it gets a message.
        local isFull = isUnmet and recalled == 0 and othersWait == 0 and not mine.groups[1] and all.held >= limit and now >= all.grace
        tellOffers()
        tellFreed()
        if isFull and statement.wants and all.instances <= MOST_NOTIFIED then
            mine.full = 1
            enter(mine)
        end
        if statement.limit ~= all.declared then
            all.other, all.otherUntil, all.declared = all.declared, now + DECLARED_LASTS, statement.limit
        end
        -- What an instance wants grows with its permits. Permits that it keeps serve calls without a step.
        local wanted = min(statement.tokens, max(1, spareTokens(), mine.keeps == 1 and sizeOf(mine) or 0))
        local change = min(isUnmet and max(all.nextEnd, all.pause) or NEVER, now < all.grace and all.grace or NEVER,
            recalled > 0 and now + RECALL or NEVER)
        return answer(mine, { granted = mine.granted, admitted = admitted, lease = sizeOf(mine) > 0 and mine.lease or 0, limit = limit, ticket = given,
            othersWait = othersWait, mayKeep = mayKeep and 1 or 0, recalled = recalled, full = mine.full, askAgain = change == NEVER and 0 or max(1, change - now),
            tokens = min(MOST_TOKENS, wanted + (callsServed > 0 and callsServed + MORE_TOKENS or 0)), attached = attached,
            otherLimit = now < all.otherUntil and all.other or 0 })
    end

    ---- What an operator asks for

    local result = 0
    if OPERATION == 'revoke' then
        local record = recordOf(ARGV[3] == '' and 'h:' .. ARGV[4] or 'i:' .. ARGV[3])
        if record and record.ending > now then
            changed[record.field] = true
            if record.groups then
                -- An offer ends by itself, and its instance may not know it yet.
                result = max(0, min(tonumber(ARGV[5]), sizeOf(record) - record.offered))
                record.revoked = record.revoked + result
                tell(record, 'changed')
            else
                result = takenBy(record)
                record.weight = record.weight - result
            end
        end
        all.held = all.held - result
    else
        local LIMIT_SET_LASTS, limit = 30 * 24 * 3600 * 1000, tonumber(ARGV[3])
        result = resized and 1 or 0
        resized, keepUntil = limit > 0 and limit or nil, limit > 0 and from + LIMIT_SET_LASTS or 0
        if resized then
            call('HSET', SHARES, 'limit', ARGV[3])
        else
            call('HDEL', SHARES, 'limit')
        end
        loadAll()
        for _, record in pairs(records) do
            if record and record.groups then
                tell(record, 'changed')
            end
        end
    end
    serve()
    tellOffers()
    tellFreed()
    write()
    return result
end

return step()
