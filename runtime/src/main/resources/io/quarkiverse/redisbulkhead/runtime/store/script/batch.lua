-- Carries out acquires, releases, cancellations and renewals of one bulkhead in the order given, all at the same instant. Comes after keys.lua,
-- uncontended.lua, bulkhead.lua, acquire.lua, release.lua and renew.lua.
--
-- KEYS    as in keys.lua; may write all of them
-- ARGV[1] how many terms there are
-- ARGV[2] 1 if there is no permit id twice
-- then    the terms; each is: limit; lease, ms; 1 to wait in the queue, 0 to wait beside it; for how long the caller may wait
--         before it polls, ms, or 0 for not at all; its mailbox, application, instance and method, one a line
-- then    the calls, each of which is one of
--         the number of its terms, permit id                          an acquire
--         'queue', ticket, the number of its terms, permit id         an acquire by a waiter that was lost, with the ticket it had
--         'release', permit id
--         'cancel', for how many ms they must not be granted, how many, permit ids   for acquires that may still be on their way
--         'renew', permit id, lease in ms
--
-- Reply   {limit that was stated, other limits that callers stated within the last minute with commas between, ...}, told now and then only,
--         and an answer for each permit id
--         acquire: the ticket                                                if granted
--                  {limit in force, ms to the nearest lease end}               if full
--                  {limit in force, ms to the nearest lease end, server time, ticket in the queue or 0}  if waiting
--                  -1                                                          if cancelled before it arrived
--         others:  1 if it was, or is, an unexpired permit, else 0

local answers, told = { {} }, {}
local function answer(all)
    for _, one in ipairs(all) do
        answers[#answers + 1] = one
    end
end

-- Renewals that follow each other go together.
local function leasesFrom(i)
    local leases = {}
    while ARGV[i] == 'renew' do
        leases[#leases + 1] = ARGV[i + 1]
        leases[#leases + 1] = ARGV[i + 2]
        i = i + 3
    end
    return leases, i
end

local i = FIRST_TERMS + TERMS * ARGV[1]
while ARGV[i] do
    local what = ARGV[i]
    if what == 'release' then
        answer(release({ ARGV[i + 1] }, 0))
        i = i + 2
    elseif what == 'cancel' then
        local ids = {}
        for k = i + 3, i + 2 + ARGV[i + 2] do
            ids[#ids + 1] = ARGV[k]
        end
        answer(release(ids, tonumber(ARGV[i + 1])))
        i = i + 3 + #ids
    elseif what == 'renew' then
        local leases
        leases, i = leasesFrom(i)
        answer(renew(leases))
    else
        local ticket = 0
        if what == 'queue' then
            ticket, what = tonumber(ARGV[i + 1]), ARGV[i + 2]
            i = i + 2
        end
        local first = FIRST_TERMS + TERMS * (what - 1)
        local stated = ARGV[first]
        local granted = acquire(ARGV[i + 1], ticket, tonumber(stated), tonumber(ARGV[first + 1]), ARGV[first + 2] == '1',
            tonumber(ARGV[first + 3]), ARGV[first + 4])
        answers[#answers + 1] = granted
        if granted ~= -1 and not told[what] then
            told[what] = true
            local others = stateLimit(stated)
            if others ~= '' then
                table.insert(answers[1], stated)
                table.insert(answers[1], others)
            end
        end
        i = i + 2
    end
end
return answers
