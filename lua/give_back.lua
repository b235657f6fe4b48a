-- give_back: free what one attempt of one hold (or block) took. Only seats that this hold still owns become
-- free, counters move by what really changed, a repeat changes nothing.
-- KEYS  1 seats  2 owners  3 meta  4 holds  5 users  6 events
-- ARGV  1 now_ms  2 hold id  3 attempt  4 screening id  5 seat indexes of a partial give-back ('' = all)
-- Answer {code, reason, …}: 1 FREED ver count index…   0 NO_RECORD   0 OTHER_ATTEMPT   0 NOTHING (none of the
--   named seats is listed any more)
--   -1 STOCK_KEY_NOT_EXIST (nothing to free: a rebuild reads the ledger)   -9 CORRUPT what
local id = ARGV[2]
local m = redis.call('HMGET', KEYS[3], 'epoch', 'free', 'ver')
if not (m[1] and m[2] and m[3]) then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if not (tonumber(m[2]) and tonumber(m[3])) then return {'-9', 'CORRUPT', 'meta'} end
local record = redis.call('HGET', KEYS[4], id)
if not record then return {'0', 'NO_RECORD'} end
local state, user, expires, qty, amount, attempt, seats, entry =
  string.match(record, '^1|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$')
if state == nil or not tonumber(qty) then return {'-9', 'CORRUPT', 'hold'} end
if attempt ~= ARGV[3] then return {'0', 'OTHER_ATTEMPT'} end

local wanted, all = {}, ARGV[5] == ''
for index in string.gmatch(ARGV[5], '%d+') do wanted[index] = true end
local freed, kept, changed, listed = {}, {}, 0, 0
if seats == '' then
  changed = tonumber(qty)
else
  local size = redis.call('STRLEN', KEYS[1])
  if size == 0 then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
  for index in string.gmatch(seats, '%d+') do
    listed = listed + 1
    if not all and not wanted[index] then
      kept[#kept + 1] = index
    elseif redis.call('HGET', KEYS[2], index) == id then
      if tonumber(index) >= size then return {'-9', 'CORRUPT', 'index'} end
      freed[#freed + 1] = index
    end
  end
  changed = #freed
  if #kept == listed then return {'0', 'NOTHING'} end
end
local live = tonumber(redis.call('HGET', KEYS[5], user) or '0')
if not live then return {'-9', 'CORRUPT', 'users'} end
redis.call('XLEN', KEYS[6])

local ver = tostring(tonumber(m[3]) + 1)
redis.call('XADD', KEYS[6], '*', 'v', '1', 'type', state == 'x' and 'unblocked' or 'released', 'epoch', m[1],
  'screening', ARGV[4], 'hold', id, 'user', user, 'attempt', attempt, 'qty', tostring(changed), 'at', ARGV[1],
  'ver', ver, 'seats', table.concat(freed, ','), 'state', '.')
for i = 1, #freed do
  redis.call('SETRANGE', KEYS[1], freed[i], '.')
  redis.call('HDEL', KEYS[2], freed[i])
end
redis.call('HSET', KEYS[3], 'free', tostring(tonumber(m[2]) + changed), 'ver', ver)
if state ~= 'x' then
  if live > changed then
    redis.call('HSET', KEYS[5], user, tostring(live - changed))
  else
    redis.call('HDEL', KEYS[5], user)
  end
end
if #kept > 0 then
  redis.call('HSET', KEYS[4], id, table.concat({'1', state, user, expires, tostring(#kept), amount, attempt, table.concat(kept, ','), entry}, '|'))
else
  redis.call('HDEL', KEYS[4], id)
end
local answer = {'1', 'FREED', ver, tostring(changed)}
for i = 1, #freed do answer[#answer + 1] = freed[i] end
return answer
