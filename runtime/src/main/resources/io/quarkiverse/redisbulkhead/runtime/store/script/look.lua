-- Looks at a bulkhead, and changes nothing. KEYS as in bulkhead.lua.
--
-- ARGV    'occupancy', how many holders, and how many waiters, to tell, from 0
-- Reply   {permits in use, waiters, limit set by an operator or 0, stated limits, server time, {{id, end of lease, record}, ...} with the lease
--         that ends first coming first, {{id, till when its process is alive, record}, ...} with those in the queue first}
--
-- ARGV    'own', process, how many holders have been looked at, how many to look at, from 1
-- Reply   {how many holders there were to look at, id of a live permit of that process, ...}

local KEYS, ARGV, call = KEYS, ARGV, redis.call
local HOLDERS, STATE, QUEUE, STANDBY = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local PROCESS = '^%d+\n%d+\n%d+\n%d+\n([^\n]*)'

local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)

local function recordsOf(ids)
    return ids[1] and call('HMGET', STATE, unpack(ids)) or {}
end

if ARGV[1] == 'own' then
    local seen = call('ZRANGE', HOLDERS, ARGV[3], ARGV[3] + ARGV[4] - 1, 'WITHSCORES')
    local ids, own = {}, { #seen / 2 }
    for k = 1, #seen, 2 do
        if tonumber(seen[k + 1]) > now then
            ids[#ids + 1] = seen[k]
        end
    end
    for k, record in ipairs(recordsOf(ids)) do
        if string.match(record or '', PROCESS) == ARGV[2] then
            own[#own + 1] = ids[k]
        end
    end
    return own
end

local most, listed, waiters, waiting, alive = tonumber(ARGV[2]), {}, {}, 0, {}

-- At most so many at once, and so many chunks; beyond that all count as alive.
local CHUNK, CHUNKS = 1000, 20

local found = call('ZRANGEBYSCORE', HOLDERS, now + 1, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for k = 1, #found, 2 * CHUNK do
    local ids = {}
    for i = k, math.min(#found, k + 2 * CHUNK - 1), 2 do
        ids[#ids + 1] = found[i]
    end
    for i, record in ipairs(recordsOf(ids)) do
        listed[#listed + 1] = { ids[i], found[k + 2 * i - 1], record or '' }
    end
end

for _, line in ipairs({ QUEUE, STANDBY }) do
    local left = call('ZCARD', line)
    for chunk = 0, CHUNKS - 1 do
        if left <= 0 then
            break
        end
        local ids = call('ZRANGE', line, chunk * CHUNK, chunk * CHUNK + CHUNK - 1)
        left = left - #ids
        for k, record in ipairs(recordsOf(ids)) do
            local process = record and string.match(record, PROCESS)
            if process then
                alive[process] = alive[process] or tonumber(call('HGET', STATE, 'alive ' .. process) or 0)
                if alive[process] > now then
                    waiting = waiting + 1
                    if #waiters < most then
                        waiters[#waiters + 1] = { ids[k], string.format('%d', alive[process]), record }
                    end
                end
            end
        end
    end
    waiting = waiting + left
end

local header = call('HMGET', STATE, 'set limit', 'stated limits')
return {
    call('ZCOUNT', HOLDERS, now + 1, '+inf'), waiting, tonumber(header[1] or 0), header[2] or '', string.format('%d', now), listed, waiters
}
