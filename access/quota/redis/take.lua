-- Counts one request in both windows of a subject, or in neither.
-- KEYS: the subject's hash. ARGV: start and limit of the minute, start and limit of the month (starts in Unix
-- milliseconds), how long to keep the hash (milliseconds), and the latest start of a stored window. One that starts
-- later is left over from a clock that has been set back.
-- Returns 1 if the request was counted and 0 otherwise, then start and use of the minute and of the month.

-- current returns the stored window, or the requested one with nothing used if that is later or the clock was set back.
local function current(start, used, requested)
  if start then
    local stored, wanted = tonumber(start), tonumber(requested)
    if stored >= wanted and (stored == wanted or stored <= tonumber(ARGV[6])) then
      return start, tonumber(used)
    end
  end
  return requested, 0
end

local stored = redis.call('HMGET', KEYS[1], 'minute', 'minute_used', 'month', 'month_used')
local minute, minute_used = current(stored[1], stored[2], ARGV[1])
local month, month_used = current(stored[3], stored[4], ARGV[3])
local taken = 0
if minute_used < tonumber(ARGV[2]) and month_used < tonumber(ARGV[4]) then
  taken, minute_used, month_used = 1, minute_used + 1, month_used + 1
  redis.call('HSET', KEYS[1], 'minute', minute, 'minute_used', minute_used, 'month', month, 'month_used', month_used)
  redis.call('PEXPIRE', KEYS[1], ARGV[5])
end
return {taken, tonumber(minute), minute_used, tonumber(month), month_used}
