-- hold_seats: claim every requested seat (or a quantity) for one hold, or nothing.
-- KEYS  1 store  2 seats  3 owners  4 meta  5 holds  6 users  7 idem  8 inflight  9 inflight_ref  10 events
-- ARGV  1 now_ms  2 hold id  3 user id  4 epoch  5 kind: hold | block  6 attempt  7 fingerprint  8 expires_ms
--       9 quantity  10 amount_minor  11 seat indexes "3,4" ('' = general admission)  12 row runs "1,2,3;7,8" for
--       the orphan rule  13 in-flight cap  14 idem life ms  15 screening id  16 first answer  17 detail for
--       settlement  18 '1' = the sale window applies (never to a block)
-- Answer {code, reason, …}, strings:
--   1 SUCCESS ver free stream_id         2 DUPLICATE_REQUEST hold_id answer
--   0 SEAT_TAKEN live index…             0 INSUFFICIENT_STOCK live free   (live: seats of this user here)
--  -1 STOCK_KEY_NOT_EXIST  -2 LIMIT_EXCEEDED live limit  -3 SALE_CLOSED  -4 REBUILDING | STALE_EPOCH
--  -5 ORPHAN_SEAT index…   -6 KEY_REUSED   -7 BACKPRESSURE   -8 STORE_CHANGED   -9 CORRUPT what
local id, user, qty, block = ARGV[2], ARGV[3], tonumber(ARGV[9]), ARGV[5] == 'block'
local now, seated = tonumber(ARGV[1]), ARGV[11] ~= ''

if redis.call('EXISTS', KEYS[3], KEYS[4], KEYS[5], KEYS[6]) < 4 then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
local m = redis.call('HMGET', KEYS[4], 'store', 'epoch', 'gate', 'on_sale', 'opens_ms', 'closes_ms', 'limit', 'orphan', 'free', 'ver')
for i = 1, 10 do if not m[i] then return {'-1', 'STOCK_KEY_NOT_EXIST'} end end
local map = redis.call('GET', KEYS[2])
if seated and not map then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if redis.call('GET', KEYS[1]) ~= m[1] then return {'-8', 'STORE_CHANGED'} end
if m[3] ~= '0' then return {'-4', 'REBUILDING'} end
if m[2] ~= ARGV[4] then return {'-4', 'STALE_EPOCH'} end

if not block then
  local first = redis.call('GET', KEYS[7])
  if first then
    local fp, hold, answer = string.match(first, '^1|([^|]*)|([^|]*)|(.*)$')
    if fp == nil then return {'-9', 'CORRUPT', 'idem'} end
    if fp ~= ARGV[7] then return {'-6', 'KEY_REUSED'} end
    return {'2', 'DUPLICATE_REQUEST', hold, answer}
  end
end
local record = redis.call('HGET', KEYS[5], id)
if record then
  local attempt = string.match(record, '^1|[^|]*|[^|]*|[^|]*|[^|]*|[^|]*|([^|]*)|')
  if attempt == nil then return {'-9', 'CORRUPT', 'hold'} end
  if attempt == ARGV[6] then return {'2', 'DUPLICATE_REQUEST', id, ''} end
end

for _, i in ipairs({5, 6, 7, 9, 10}) do if not tonumber(m[i]) then return {'-9', 'CORRUPT', 'meta'} end end
if not block and m[4] ~= '1' then return {'-3', 'SALE_CLOSED'} end
if not block and ARGV[18] == '1' and (now < tonumber(m[5]) or now >= tonumber(m[6])) then return {'-3', 'SALE_CLOSED'} end
local live = redis.call('HGET', KEYS[6], user) or '0'
if not tonumber(live) then return {'-9', 'CORRUPT', 'users'} end
local limit, free = tonumber(m[7]), tonumber(m[9])
if not block and limit > 0 and tonumber(live) + qty > limit then return {'-2', 'LIMIT_EXCEEDED', live, m[7]} end

local wanted, list, taken = {}, {}, {'0', 'SEAT_TAKEN', live}
for index in string.gmatch(ARGV[11], '%d+') do
  local n = tonumber(index)
  if n >= #map or wanted[n] then return {'-9', 'CORRUPT', 'index'} end
  wanted[n] = true
  list[#list + 1] = n
  if string.byte(map, n + 1) ~= 46 then taken[#taken + 1] = index end
end
if qty < 1 or (seated and #list ~= qty) or (map and not seated) then return {'-9', 'CORRUPT', 'quantity'} end
if m[8] == '1' and not block and #taken == 3 then
  local alone = {'-5', 'ORPHAN_SEAT'}
  for run in string.gmatch(ARGV[12], '[^;]+') do
    local row = {}
    for index in string.gmatch(run, '%d+') do row[#row + 1] = tonumber(index) end
    local function open(i, after)
      local n = row[i]
      return n and string.byte(map, n + 1) == 46 and not (after and wanted[n])
    end
    for i = 1, #row do
      if open(i, true) and not open(i - 1, true) and not open(i + 1, true) and (open(i - 1) or open(i + 1)) then
        alone[#alone + 1] = tostring(row[i])
      end
    end
  end
  if #alone > 2 then return alone end
end
if redis.call('ZCARD', KEYS[8]) >= tonumber(ARGV[13]) and not block then return {'-7', 'BACKPRESSURE'} end
if #taken > 3 then return taken end
-- what an earlier attempt of this hold still has is not free yet; for seats the map says so
if not seated and (free < qty or record) then return {'0', 'INSUFFICIENT_STOCK', live, m[9]} end
-- a key of the wrong type fails here, before anything is written
redis.call('HLEN', KEYS[3]); redis.call('HLEN', KEYS[9]); redis.call('XLEN', KEYS[10])

local state, ver = block and 'x' or 'h', tostring(tonumber(m[10]) + 1)
local entry = redis.call('XADD', KEYS[10], '*', 'v', '1', 'type', block and 'blocked' or 'held', 'epoch', ARGV[4],
  'screening', ARGV[15], 'hold', id, 'user', user, 'attempt', ARGV[6], 'qty', ARGV[9], 'amount', ARGV[10],
  'at', ARGV[1], 'expires', ARGV[8], 'ver', ver, 'seats', ARGV[11], 'state', state, 'detail', ARGV[17])
for i = 1, #list do
  redis.call('SETRANGE', KEYS[2], list[i], state)
  redis.call('HSET', KEYS[3], list[i], id)
end
redis.call('HSET', KEYS[4], 'free', tostring(free - qty), 'ver', ver)
if not block then redis.call('HSET', KEYS[6], user, tostring(tonumber(live) + qty)) end
redis.call('HSET', KEYS[5], id, table.concat({'1', state, user, ARGV[8], ARGV[9], ARGV[10], ARGV[6], ARGV[11], entry}, '|'))
redis.call('ZADD', KEYS[8], ARGV[1], id)
redis.call('HSET', KEYS[9], id, ARGV[15] .. '|' .. user)
if not block then redis.call('SET', KEYS[7], '1|' .. ARGV[7] .. '|' .. id .. '|' .. ARGV[16], 'PX', ARGV[14]) end
return {'1', 'SUCCESS', ver, tostring(free - qty), entry}
