-- confirm_hold: a paid order's seats turn from held to sold. A repeat changes nothing.
-- KEYS  1 seats  2 owners  3 meta  4 holds  5 events
-- ARGV  1 now_ms  2 hold id  3 attempt  4 screening id
-- Answer {code, reason, …}: 1 CONFIRMED ver   0 NO_RECORD | OTHER_ATTEMPT | ALREADY
--   -1 STOCK_KEY_NOT_EXIST   -9 CORRUPT what
local id = ARGV[2]
local m = redis.call('HMGET', KEYS[3], 'epoch', 'ver')
if not (m[1] and m[2]) then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if not tonumber(m[2]) then return {'-9', 'CORRUPT', 'meta'} end
local record = redis.call('HGET', KEYS[4], id)
if not record then return {'0', 'NO_RECORD'} end
local state, user, rest = string.match(record, '^1|([^|]*)|([^|]*)|(.*)$')
if state == nil then return {'-9', 'CORRUPT', 'hold'} end
local qty, attempt, seats = string.match(rest, '^[^|]*|([^|]*)|[^|]*|([^|]*)|([^|]*)|')
if attempt == nil then return {'-9', 'CORRUPT', 'hold'} end
if attempt ~= ARGV[3] then return {'0', 'OTHER_ATTEMPT'} end
if state == 's' then return {'0', 'ALREADY'} end
local mine, size = {}, 0
if seats ~= '' then size = redis.call('STRLEN', KEYS[1]) end
if seats ~= '' and size == 0 then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
for index in string.gmatch(seats, '%d+') do
  if redis.call('HGET', KEYS[2], index) == id then
    if tonumber(index) >= size then return {'-9', 'CORRUPT', 'index'} end
    mine[#mine + 1] = index
  end
end
redis.call('XLEN', KEYS[5])

local ver = tostring(tonumber(m[2]) + 1)
redis.call('XADD', KEYS[5], '*', 'v', '1', 'type', 'confirmed', 'epoch', m[1], 'screening', ARGV[4], 'hold', id,
  'user', user, 'attempt', attempt, 'qty', qty, 'at', ARGV[1], 'ver', ver, 'seats', table.concat(mine, ','), 'state', 's')
for i = 1, #mine do redis.call('SETRANGE', KEYS[1], mine[i], 's') end
redis.call('HSET', KEYS[3], 'ver', ver)
redis.call('HSET', KEYS[4], id, '1|s|' .. user .. '|' .. rest)
return {'1', 'CONFIRMED', ver}
