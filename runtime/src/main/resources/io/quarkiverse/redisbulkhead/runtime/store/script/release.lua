-- Gives permits and places among the waiters back. Removes the ids named and nothing else; an id that is not there is no error. What is free
-- by that goes to those who wait. Each id is told to have been an unexpired permit, 1, or not, 0.
--
-- block: 0, or for how many ms the ids must not be granted: for acquires that may still be on their way

local function release(ids, block)
    local answers, free = {}, 0
    for i, id in ipairs(ids) do
        local isHeld = isAfterNow(redis.call('ZSCORE', HOLDERS, id))
        answers[i] = isHeld and 1 or 0
        -- A waiter who leaves may have been told of a free permit, and passes that on.
        if isHeld or anybodyWaits and redis.call('ZSCORE', STANDBY, id) then
            free = free + 1
        end
    end

    forget(ids)
    if block > 0 then
        redis.call('ZREMRANGEBYSCORE', CANCELLED, '-inf', now)
        for _, id in ipairs(ids) do
            put(block + SLACK, 'ZADD', CANCELLED, 'GT', whole(now + block), id)
        end
    end
    settle()
    wake(free)
    return answers
end
