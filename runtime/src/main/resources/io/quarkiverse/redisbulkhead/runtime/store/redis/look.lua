-- Looks at a bulkhead, and changes nothing. KEYS as in bulkhead.lua.
--
-- ARGV    'occupancy', how many holders, and how many waiters, to tell, from 0
-- Reply   {what is in use, waiters, limit set by an operator or 0, declared limits, server time, {{id, end of lease, record}, ...} with the lease
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

-- The entries of a permit follow each other, the one with its id first. What is passed over is not read.
local size, ended = call('ZCARD', HOLDERS), call('ZCOUNT', HOLDERS, '-inf', now)
local rank, looks = ended, most
while rank < size and #listed < most and looks > 0 do
    local found = call('ZRANGE', HOLDERS, rank, rank + math.min(CHUNK, most - #listed) - 1, 'WITHSCORES')
    local ids, ends, after = {}, {}, rank + #found / 2
    for k = 1, #found, 2 do
        if not string.match(found[k], '^%*.* ') then
            ids[#ids + 1], ends[#ends + 1] = found[k], found[k + 1]
            after = math.max(after, rank + (k - 1) / 2 + tonumber(string.match(found[k], '^%*(%d%d?%d?%d?)%*') or 1))
        end
    end
    for k, record in ipairs(recordsOf(ids)) do
        listed[#listed + 1] = { ids[k], ends[k], record or '' }
    end
    rank, looks = after, looks - 1
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

local header = call('HMGET', STATE, 'set limit', 'declared limits')
return {
    size - ended, waiting, tonumber(header[1] or 0), header[2] or '', string.format('%d', now), listed, waiters
}
