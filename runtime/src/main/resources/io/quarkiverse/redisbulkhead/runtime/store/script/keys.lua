-- What all scripts begin with: the keys of a bulkhead, and its clock.
--
-- KEYS[1] holders    sorted set  permit id -> end of its lease, ms
-- KEYS[2] queue      sorted set  permit id -> ticket; the waiters that are served in order; and the grace period, see bulkhead.lua
-- KEYS[3] ticket     string      the last ticket given, or when a lease or a place was lengthened last, us; what is greater
-- KEYS[4] details    hash        permit id -> ticket of a waiter or fencing token of a holder, since (ms), lease (ms), limit, mailbox, application, instance, method; one a line
-- KEYS[5] cancelled  sorted set  permit id -> until when it must not be granted, ms
-- KEYS[6] waiters    sorted set  permit id -> end of its place, ms; all waiters
-- KEYS[7] limits     hash        'override' -> the limit set by an operator; any limit -> when it was last stated, ms
-- KEYS[8] standby    sorted set  permit id -> its turn to be told of a free permit, microseconds; the waiters that are not in the queue
--
-- A permit is held, and a place is taken, until its end; the server's clock decides. Dead ones count as gone at once, and are removed by
-- and by, at most 1000 of each a call. While anybody waits in the queue, nobody else gets a free permit.
--
-- Messages to a mailbox (a channel): 'handed-over <id> <ticket> <end of lease>', 'free <id>', 'revoked <id>'. They may be lost, so a server
-- that refuses PUBLISH does no harm but delay.
--
-- Every key is read before the first one is written: a key of a foreign type ends the script with nothing changed.

local KEYS, ARGV = KEYS, ARGV
local HOLDERS, QUEUE, TICKET, DETAILS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local CANCELLED, WAITERS, LIMITS, STANDBY = KEYS[5], KEYS[6], KEYS[7], KEYS[8]

local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)
-- What ends so long after this has had its full time.
local from = math.ceil(micros / 1000)

-- How long keys outlive what they hold.
local SLACK = 1000

-- Where the last ticket is that far ahead of the clock, microseconds, the clock has been set back since.
local SET_BACK = 1000000

-- For how long a limit that was stated counts as stated, and how often that is noted, ms.
local STATED_LASTS, STATED_REFRESHED = 60000, 5000

-- A whole number that is no larger than a double holds exactly.
local format = string.format
local function whole(number)
    return format('%d', number)
end
