-- One step of one bulkhead: an instance states its position, and the answer states it as Redis has it. ShareMachine does the same in Java.
--
-- KEYS[1] shares   hash: the fields below
-- KEYS[2] waiting  sorted set: instance -> ticket of its first calls that wait; heals from the hash, and the hash from statements
--
-- Fields, each a JSON array of these values in order. '' and 2^53 are none; times are ms, tickets and clocks us.
--   bulkhead       layout, run id of the server under which this was written, epochs below this are of an earlier run, end of the grace period,
--                  instances of an earlier run that have not stated their position (-1: do not count), last ticket, last time, clock set back by,
--                  permits in all shares, lower bound of all ends, no scan before, TTL ends, instances, keepers, instance with the last
--                  unmet need, when that was, when another one's was, last recall, how many were expected to answer it, limit that was declared last
--   limit          the limit that an operator set, a number
--   i:<instance>   the share of an instance: number of its last statement, epoch, granted, part of it that is an offer, returned, revoked, end of the
--                  lease, last statement, keeps, first recall that it has not answered, highest ticket served, last group with a new ticket, that
--                  ticket, lease, limit, calls that wait: for each group ticket, weight, count
--   h:<id>         a permit that no instance holds, as a share without one: granted is its weight, and all of it is returned if it was attached. Last
--                  statement: when its execution started. Epoch: that of the instance that attached it. Then come the digest, the instance that
--                  attached it, how many permits that one had been granted then, method
-- An instance is named by the channel on which it receives messages. To list the shares:
--   redis-cli hgetall '<key>' | awk -F'[][,]' '/^[ih]:/ {i=$0; getline; print i, $4-$6-$7}'
--
-- ARGV[1] layout; ARGV[2] operation; then
--   'sync'    a JSON array: instance, number, epoch, granted, returned, revoked, lease, limit, whether it keeps, whether it wants to, highest ticket
--             or token it has seen, tokens it wants, run id of the server or '', for how long it has known this one after another one or -1,
--             calls: ticket (0: none yet; 2^53: do not wait), group, weight, count;
--             holds: id, weight, lease, for how long it has run, digest or '', method; permits to attach: id, digest
--   'revoke'  field of the share, permits; all if no instance holds it
--   'resize'  limit, or 0 to undo
--
-- Reply to 'sync', a list: number, epoch, granted, admitted, revoked, lease, limit, ticket of the new group, highest ticket served, others wait, may
--   keep, recalled, full for, grace, ask again in, first token, tokens, run id or '', what was attached: id, weight (0 for a hold that was refused),
--   for how long it has run; the limit that was declared before, if it is another one, or 0
-- to 'revoke' the number of permits; to 'resize' 1 if there was a limit, else 0
--
-- Messages, to the channel of the instance: 'granted <number> <epoch> <granted> <revoked> <served> <others wait> <first token> <tokens> <KEYS[1]>',
--   'recalled <number> <KEYS[1]>', 'changed <KEYS[1]>'
--
-- Both keys are read before any is written, so a key of a foreign type stops the script with nothing changed. %d writes all digits of a number.

local call, format, concat, floor, max, min, decode = redis.call, string.format, table.concat, math.floor, math.max, math.min, cjson.decode
local SHARES, QUEUE, LAYOUT, OPERATION = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

-- Milliseconds; ShareStore explains them. What only one function needs stands there: each variable of the chunk that functions capture makes
-- each step a little longer, twenty of them by a twentieth.
local OFFER, WAITER, RECALL = 3000, 3000, 200
-- A grant brings a token for each call and so many more, and so many at most.
local MORE_TOKENS, MOST_TOKENS = 16, 1048576
local NEVER = 9007199254740992

---- Texts: JSON arrays. One call of Lua reads or writes all values of a record. cjson cannot write 2^53, format can.

local function totalsOf(v)
    return { layout = v[1], server = v[2], since = v[3], grace = v[4], unconfirmed = v[5], ticket = v[6], clock = v[7], offset = v[8], held = v[9],
        nextEnd = v[10], pause = v[11], kept = v[12], instances = v[13], keepers = v[14], unmetBy = v[15], unmetAt = v[16], unmetElse = v[17],
        recalledAt = v[18], expected = v[19], declared = v[20] }
end

local function textOfTotals(all)
    return format('[%d,"%s",%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,"%s",%d,%d,%d,%d,%d]', all.layout, all.server, all.since, all.grace,
        all.unconfirmed, all.ticket, all.clock, all.offset, all.held, all.nextEnd, all.pause, all.kept, all.instances, all.keepers, all.unmetBy,
        all.unmetAt, all.unmetElse, all.recalledAt, all.expected, all.declared)
end

local function recordOf(v)
    local groups = {}
    for k, group in ipairs(v[16]) do
        groups[k] = { ticket = group[1], weight = group[2], count = group[3] }
    end
    return { number = v[1], epoch = v[2], granted = v[3], offered = v[4], returned = v[5], revoked = v[6], ending = v[7], stated = v[8], keeps = v[9],
        recalled = v[10], served = v[11], group = v[12], groupTicket = v[13], lease = v[14], limit = v[15], groups = groups, digest = v[17],
        by = v[18], byGranted = v[19], method = v[20] }
end

local function textOfRecord(record)
    local groups = {}
    for k, group in ipairs(record.groups) do
        groups[k] = format('[%d,%d,%d]', group.ticket, group.weight, group.count)
    end
    local hold = record.digest and format(',"%s","%s",%d,%s', record.digest, record.by, record.byGranted, cjson.encode(record.method)) or ''
    return format('[%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,[%s]%s]', record.number, record.epoch, record.granted, record.offered,
        record.returned, record.revoked, record.ending, record.stated, record.keeps, record.recalled, record.served, record.group, record.groupTicket,
        record.lease, record.limit, concat(groups, ','), hold)
end

local function statementOf(v)
    return { instance = v[1], number = v[2], epoch = v[3], granted = v[4], returned = v[5], revoked = v[6], lease = v[7], limit = v[8], keeps = v[9],
        wants = v[10], highest = v[11], tokens = v[12], server = v[13], serverSince = v[14], calls = v[15], holds = v[16], attaches = v[17] }
end

---- Load

local time = call('TIME')
local statement = OPERATION == 'sync' and statementOf(decode(ARGV[3]))
local mineField = statement and 'i:' .. statement.instance
local claimed = statement and statement.granted - statement.returned - statement.revoked
local found = call('HMGET', SHARES, 'bulkhead', 'limit', mineField or '-')
local stored, resized, isMissing = found[1], tonumber(found[2] or nil), not found[1]
-- The first two of the queue; nil when they have changed. And whether the key may exist.
local heads = call('ZRANGE', QUEUE, 0, 1)
local isAwaited = heads[1] ~= nil
local isQueueUsed = isAwaited
stored = stored or '[' .. LAYOUT .. ',"",0,0,-1,0,0,0,0,9007199254740992,0,0,0,0,"",0,0,0,0,0]'
local layout = string.match(stored, '^%[?([^%s,]*)')
if layout ~= LAYOUT then
    return redis.error_reply('LAYOUT ' .. layout)
end
local all = totalsOf(decode(stored))

-- Records by field, false for a missing one; fields that have changed; instances that were offered permits, in order; what was attached.
local records, changed, offers, attached = {}, {}, {}, {}
local keepUntil = 0

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

    local function put(field, text)
        local record = recordOf(decode(text))
        records[field], record.field, record.name = record, field, string.sub(field, 3)
        record.counted, record.isQueued, record.callsServed = isKeeper(record), record.groups[1] ~= nil, 0
        return record
    end

    local function load(field)
        local text = records[field] == nil and (field == mineField and found[3] or call('HGET', SHARES, field))
        return text and put(field, text) or records[field]
    end

    local function loadAll()
        local texts = call('HGETALL', SHARES)
        for k = 1, #texts, 2 do
            if records[texts[k]] == nil and string.match(texts[k], '^[ih]:') then
                put(texts[k], texts[k + 1])
            end
        end
    end

    local function create(field)
        changed[field] = true
        return put(field, '[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,[]]')
    end

    local function nextEnd(record)
        if record.offered > 0 then
            return min(record.ending, record.stated + OFFER)
        end
        return sizeOf(record) > 0 and record.ending or max(record.ending, record.stated + WAITER)
    end

    local function draw(count)
        local first = max(all.ticket + 1, micros)
        all.ticket = first + (count or 1) - 1
        return first
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
        if share.groups[1] then
            heads, isQueueUsed = nil, true
            call('ZADD', QUEUE, format('%d', share.groups[1].ticket), share.name)
        elseif share.isQueued then
            leave(share.name)
        end
        share.isQueued = share.groups[1] ~= nil
    end

    -- The first in the queue apart from one; removes those that are dead or want nothing any more.
    local function firstBeside(name)
        while true do
            heads = heads or call('ZRANGE', QUEUE, 0, 1)
            local other = heads[1] == name and heads[2] or heads[1] ~= name and heads[1]
            local share = other and load('i:' .. other)
            if not other or share and share.groups[1] and now - share.stated < WAITER then
                return share
            end
            leave(other)
            if share then
                share.groups, share.isQueued, changed[share.field] = {}, false, true
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
        if not isCaller then
            if share.callsServed == 0 then
                offers[#offers + 1] = share
            end
            share.offered = share.offered + permits
            -- An instance trusts an offer for so long, whatever its lease is.
            share.ending = max(share.ending, share.stated + OFFER)
            noteUnmet(share.name)
        end
        share.callsServed = share.callsServed + calls
    end

    -- Gives what is free to the calls in the queue and to those of this instance, in ticket order. A heavy one that waits blocks; returns whether one
    -- that does not wait was refused.
    local function serve(mine)
        local isRefused = false
        while true do
            local share, own = firstBeside(mine and mine.name), mine and mine.groups[1]
            if own and not (share and share.groups[1].ticket < own.ticket) then
                share = mine
            end
            if not share then
                return isRefused
            end
            local group, limit = share.groups[1], resized or share.limit
            local waits, fits = group.ticket < NEVER, group.weight <= limit
            local calls = now < all.grace and 0 or min(group.count, floor(max(0, limit - all.held) / group.weight))
            if waits and fits and calls == 0 then
                return isRefused
            end
            if calls > 0 then
                grant(share, calls, group.weight, share == mine)
                group.count = group.count - calls
                share.served = waits and max(share.served, group.ticket) or share.served
            end
            isRefused = isRefused or not waits and group.count > 0
            if group.count == 0 or not waits or not fits then
                table.remove(share.groups, 1)
            end
            if share ~= mine then
                changed[share.field] = true
                enter(share)
            end
        end
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
                firstBeside(share.name) and 1 or 0, draw(count), count))
        end
    end

    ---- Time

    -- Removes what has ended, and counts the totals again. After a standstill of the server, the places of those that were alive before last until
    -- their instances had time to state them. Once, because it may also be that all of them are dead.
    local function scan(afterStandstill)
        local RESTATED = 1500
        -- After a scan, none for a millisecond per so many records: it takes about 7 us per record, so 7 % of the server.
        local SCANNED_PER_MILLI = 10
        loadAll()
        local epoch, old, count = draw(), 0, 0
        all.held, all.instances, all.keepers, all.nextEnd = 0, 0, 0, NEVER
        for field, record in pairs(records) do
            if afterStandstill and record and record.groups[1] and before - record.stated < WAITER - RESTATED then
                record.stated, changed[field] = max(record.stated, now - WAITER + RESTATED), true
            end
            if record and nextEnd(record) <= now then
                changed[field] = true
                local isOfferOver, isLeaseOver = record.offered > 0 and record.stated + OFFER <= now, sizeOf(record) > 0 and record.ending <= now
                if (isOfferOver or isLeaseOver) and not record.digest then
                    -- What is left begins a new epoch, and late copies of statements may follow. Its instance may still wait for the answer that
                    -- it has attached a permit.
                    for _, hold in pairs(isLeaseOver and {} or records) do
                        if hold and hold.by == record.name and hold.epoch == record.epoch then
                            hold.epoch, changed[hold.field] = epoch, true
                        end
                    end
                    record.granted = isLeaseOver and 0 or sizeOf(record) - record.offered
                    record.epoch, record.offered, record.returned, record.revoked = epoch, 0, 0, 0
                    record.ending, record.keeps = isLeaseOver and from + record.lease or record.ending, isLeaseOver and 0 or record.keeps
                else
                    records[field] = false
                    if record.isQueued then
                        leave(record.name)
                    end
                end
            end
            if records[field] then
                all.held, all.nextEnd, count = all.held + sizeOf(record), min(all.nextEnd, nextEnd(record)), count + 1
                record.counted = isKeeper(record)
                all.keepers = all.keepers + (record.counted and 1 or 0)
                if not record.digest then
                    all.instances, old = all.instances + 1, old + (record.epoch < all.since and 1 or 0)
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
        -- No instance has stated its position, though an operator may have set a limit.
        local isUnknown = all.server == '' and all.instances == 0
        if not matches or stated ~= all.server then
            local info = redis.pcall('INFO', 'server')
            local actual = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or stated
            isNew = all.server ~= '' and actual ~= '' and actual ~= all.server
            all.server = actual == '' and all.server or actual
        end
        if isNew then
            all.since, all.unconfirmed = draw(), 0
            scan()
            all.grace = from + GRACE
        end
        if isUnknown or isNew and all.unconfirmed == 0 then
            -- An instance that still states another run has not noticed the new one.
            knownFor = stated ~= '' and stated ~= all.server and 0 or knownFor
            all.unconfirmed, all.grace = -1, knownFor >= 0 and knownFor < GRACE and from + GRACE - knownFor or 0
        end
        return isNew
    end

    -- Creates holds. What they take must be covered, by permits that were just returned or by room. Returns what is left of that. Tells which of the
    -- stated ones Redis does not have, as permits of weight 0.
    local function createHolds(covered)
        for _, stated in ipairs(statement.holds) do
            local id, weight, lease, hasRun, digest, method = unpack(stated)
            local isUnknown = not load('h:' .. id)
            if isUnknown and (lease <= 0 or weight > covered) then
                attached[#attached + 1] = { id, 0, 0 }
            elseif isUnknown then
                local hold = create('h:' .. id)
                hold.granted, hold.ending, hold.stated = weight, from + lease, now - hasRun
                hold.digest, hold.by, hold.byGranted, hold.method = digest, '', 0, method
                covered, all.held, all.nextEnd = covered - weight, all.held + weight, min(all.nextEnd, hold.ending)
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
        createHolds(before - sizeOf(mine))
    end

    -- Redis does not know this position: what is stated is admitted as far as there is room, in a new epoch.
    local function claim(mine, room)
        local freed = sizeOf(mine)
        -- A permit whose attaching was answered, but the answer was lost, leaves the share, to be attached again.
        for _, wish in ipairs(statement.attaches) do
            local hold = load('h:' .. wish[1])
            if hold and hold.by == mine.name and hold.epoch == mine.epoch and hold.granted <= freed then
                hold.by, hold.returned, freed, changed[hold.field] = '', 0, freed - hold.granted, true
            end
        end
        room, all.held = max(0, room + freed), all.held - freed
        room = createHolds(room)
        mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(), min(room, claimed), 0, 0, 0
        all.held = all.held + mine.granted
    end

    -- Lets detached permits join the share, or tells again that they did; returns how many permits that is.
    local function attach(mine, known, onlyTell)
        local weight = 0
        for _, wish in ipairs(statement.attaches) do
            local hold = load('h:' .. wish[1])
            if hold and not onlyTell and sizeOf(hold) > 0 and hold.ending > now and hold.digest ~= '' and hold.digest == wish[2] then
                mine.granted = mine.granted + hold.granted
                hold.returned, hold.by, hold.epoch, hold.byGranted, changed[hold.field] = hold.granted, mine.name, mine.epoch, mine.granted, true
            end
            -- If the instance knows of so many permits, it knows that it has attached this one, and this is another try.
            if hold and hold.by == mine.name and hold.epoch == mine.epoch and known < hold.byGranted then
                attached[#attached + 1], weight = { hold.name, hold.granted, max(0, now - hold.stated) }, weight + hold.granted
                mine.callsServed = mine.callsServed + 1
            end
        end
        return weight
    end

    -- Takes over the calls of an instance without those that were granted permits of which it does not know.
    local function lineUp(mine, unknown, limit)
        local latest = all.ticket
        mine.groups = {}
        for _, need in ipairs(statement.calls) do
            local ticket, group, weight, count = unpack(need)
            if ticket == 0 then
                if group ~= mine.group or mine.groupTicket == 0 then
                    mine.group, mine.groupTicket = group, draw()
                end
                ticket = mine.groupTicket
            elseif ticket < NEVER then
                ticket = min(ticket, latest)
            end
            local known = min(count, floor(max(0, unknown) / weight))
            unknown = unknown - known * weight
            -- Its instance learns the limit from the answer. A place without calls stops those behind it.
            if (count > known or count == 0) and weight <= limit then
                mine.groups[#mine.groups + 1] = { ticket = ticket, weight = weight, count = count - known }
            end
        end
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
            if share and share ~= mine and isKeeper(share) then
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
        -- So many values of Lua fit into one command.
        local SLACK, MOST_VALUES, puts = 1000, 1000, {}
        for field in pairs(changed) do
            local record = records[field]
            if not record then
                call('HDEL', SHARES, field)
            else
                all.nextEnd, keepUntil = min(all.nextEnd, nextEnd(record)), max(keepUntil, record.ending, record.stated + WAITER)
                local keeps = isKeeper(record)
                all.keepers = all.keepers + (keeps and 1 or 0) - (record.counted and 1 or 0)
                -- The last recall did not reach a new keeper.
                all.recalledAt = keeps and not record.counted and 0 or all.recalledAt
                puts[#puts + 1], puts[#puts + 2] = field, textOfRecord(record)
            end
        end
        keepUntil = max(keepUntil, all.grace)
        local isKeptLonger = keepUntil + SLACK > all.kept
        all.kept, all.clock = isKeptLonger and keepUntil + 2 * SLACK or all.kept, micros
        puts[#puts + 1], puts[#puts + 2] = 'bulkhead', textOfTotals(all)
        for k = 1, #puts, MOST_VALUES do
            call('HSET', SHARES, unpack(puts, k, min(k + MOST_VALUES - 1, #puts)))
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

    -- What was offered since the last statement is no part of the answer: the instance would take it for a share with a full lease.
    local function answer(mine, weight, told)
        local ticket, confirmed, othersWait = 0, sizeOf(mine) - mine.offered, firstBeside(mine.name) and 1 or 0
        for _, need in ipairs(statement.calls) do
            ticket = need[1] == 0 and need[2] == mine.group and mine.groupTicket or ticket
        end
        local firstToken = told.tokens > 0 and draw(told.tokens) or 0
        write()
        -- If not all that was claimed had room, nothing was granted beyond that.
        return { statement.number, mine.epoch, mine.granted - mine.offered, max(0, min(claimed, confirmed - weight)), mine.revoked,
            confirmed > 0 and mine.lease or 0, resized or mine.limit, ticket, mine.served, othersWait, told.mayKeep, told.recalled, told.full,
            max(0, all.grace - now), told.askAgain, firstToken, told.tokens, all.server, attached, told.otherLimit }
    end

    ---- The step

    if isMissing and (OPERATION == 'revoke' or OPERATION == 'resize' and ARGV[3] == '0') then
        return 0
    end
    -- Refused if memory is full, before anything has changed.
    -- Renewals and returns must pass also then, so they begin with a write that needs no memory.
    if statement and not statement.calls[1] then
        call('HDEL', SHARES, '-')
    else
        call('HSET', SHARES, 'bulkhead', stored)
    end
    -- Calls that wait are stated every second. If none was, the server itself was away.
    local STANDSTILL = 2000
    local afterStandstill = isAwaited and now - before >= STANDSTILL
    -- In the grace period, leases have been renewed with the server before.
    if afterStandstill or now >= max(all.nextEnd, all.pause, all.grace) then
        scan(afterStandstill)
    end
    if statement then
        -- With more instances, none may keep. Counters stay below 2^53 by far.
        local MOST_KEEPERS, UNMET, MOST_COUNTED = 64, 1000, 4503599627370496
        all.ticket = max(all.ticket, statement.highest)
        local mine = load(mineField)
        if mine and statement.number <= mine.number then
            -- It changes nothing. But tokens of permits that it attached were lost with the first answer.
            createHolds(0)
            local weight = attach(mine, statement.epoch == mine.epoch and statement.granted or -1, true)
            return answer(mine, weight, { mayKeep = 0, recalled = 0, full = 0, askAgain = 0, tokens = mine.callsServed, otherLimit = 0 })
        end
        local matches = mine and statement.epoch == mine.epoch and mine.epoch >= all.since and statement.granted <= mine.granted
        if notesNewRun(matches) then
            matches, mine = false, load(mineField)
        end
        local limit = resized or statement.limit
        local room = now < all.grace and MOST_COUNTED or limit - all.held
        if not mine then
            mine, all.instances = create(mineField), all.instances + 1
            -- The queue may have outlived the record.
            mine.isQueued = isAwaited
        elseif mine.epoch < all.since and all.unconfirmed > 0 then
            all.unconfirmed = all.unconfirmed - 1
        end
        if matches then
            returnPermits(mine)
        else
            claim(mine, room)
        end
        local weight = attach(mine, matches and statement.granted or -1)
        all.grace = all.unconfirmed == 0 and 0 or all.grace
        mine.number, mine.stated, mine.lease, mine.limit, mine.recalled = statement.number, from, statement.lease, statement.limit, 0
        mine.ending, changed[mineField] = max(mine.ending, from + mine.lease), true
        lineUp(mine, matches and mine.granted - statement.granted - weight or 0, limit)
        local isUnmet = serve(mine) or mine.groups[1] ~= nil
        while mine.groups[1] and mine.groups[#mine.groups].ticket == NEVER do
            table.remove(mine.groups)
        end
        enter(mine)
        local waiter = firstBeside(mine.name)
        local othersWait = waiter and 1 or 0
        if waiter and statement.holds[1] then
            -- It learns when they end.
            tell(waiter, 'changed')
        end
        if isUnmet then
            noteUnmet(mine.name)
        end
        local others = all.keepers - (mine.counted and 1 or 0)
        -- The last recall does not reach what it keeps from now on, so it counts as a new keeper.
        all.keepers, mine.counted = others, false
        -- A recall does not reach the instance that needs it. If that kept permits, others would wait for them until the next recall.
        local mayKeep = statement.wants and othersWait == 0 and not (isUnmet and others > 0) and now >= all.grace and all.instances <= MOST_KEEPERS
            and now - (all.unmetBy == mine.name and all.unmetElse or max(all.unmetAt, all.unmetElse)) > UNMET
        mine.keeps = (statement.keeps or mayKeep) and 1 or 0
        local recalled = isUnmet and recall(mine, others) or 0
        -- No permit is free, none is kept, and no call waits: this instance may reject calls by itself for a moment. All instances together ask
        -- twice in a millisecond, which takes a tenth of a server.
        local FULL, ASKING_PER_MILLI = 10, 2
        local isFull = isUnmet and recalled == 0 and othersWait == 0 and not mine.groups[1] and all.held >= limit and now >= all.grace
            and statement.wants
        tellOffers()
        local otherLimit = all.declared ~= statement.limit and all.declared or 0
        all.declared = statement.limit
        -- What an instance wants grows with its permits. Permits that it keeps serve calls without a step.
        local wanted = min(statement.tokens, max(1, spareTokens(), mine.keeps == 1 and sizeOf(mine) or 0))
        local change = min(now < all.grace and all.grace or isUnmet and max(all.nextEnd, all.pause) or NEVER,
            recalled > 0 and now + RECALL or NEVER)
        return answer(mine, weight, { mayKeep = mayKeep and 1 or 0, recalled = recalled,
            full = isFull and max(FULL, floor(all.instances / ASKING_PER_MILLI)) or 0, askAgain = change == NEVER and 0 or max(1, change - now),
            otherLimit = otherLimit, tokens = min(MOST_TOKENS, wanted + (mine.callsServed > 0 and mine.callsServed + MORE_TOKENS or 0)) })
    end

    ---- What an operator asks for

    local result = 0
    if OPERATION == 'revoke' then
        local record = load(ARGV[3])
        if record and record.ending > now then
            -- A permit that no instance holds is attached as a whole. An offer ends by itself, and its instance may not know it yet.
            local most = record.digest and record.granted or tonumber(ARGV[4])
            result = max(0, min(most, sizeOf(record) - record.offered))
            record.revoked, changed[record.field] = record.revoked + result, true
            if not record.digest then
                tell(record, 'changed')
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
            if record and not record.digest then
                tell(record, 'changed')
            end
        end
    end
    serve()
    tellOffers()
    write()
    return result
end

return step()
