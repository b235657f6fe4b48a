-- repair_seats: end one attempt of a hold and make its seats what the ledger says at this moment. The caller
-- holds the screening's row lock, so nothing is decided meanwhile. A seat that the ledger gives to nobody is freed
-- only if the ending hold owns it: another owner may still be in flight.
-- KEYS  1 seats  2 owners  3 meta  4 holds  5 users  6 events
-- ARGV  1 now_ms  2 screening id  3 hold id that ends ('' = none)  4 its attempt  5 epoch
--       6… per seat: index, state, owner ('' = free), user, expires_ms, price, attempt of the owner
-- Answer {code, reason, …}: 1 REPAIRED ver changed   0 NOTHING   -1 STOCK_KEY_NOT_EXIST   -4 STALE_EPOCH
--   -9 CORRUPT what
local FIELDS = '^1|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$'
if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) < 4 then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
local m = redis.call('HMGET', KEYS[3], 'epoch', 'free', 'ver')
local map = redis.call('GET', KEYS[1])
if not (m[1] and m[2] and m[3] and map) then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if m[1] ~= ARGV[5] then return {'-4', 'STALE_EPOCH'} end

local records, counts, order = {}, {}, {}
local function load(id)
  if records[id] then return true end
  local text = redis.call('HGET', KEYS[4], id)
  if not text then return false end
  local r = {string.match(text, FIELDS)}
  if r[1] == nil then return false end
  r.set, r.list = {}, {}
  for index in string.gmatch(r[7], '%d+') do r.set[index] = true; r.list[#r.list + 1] = index end
  records[id] = r
  order[#order + 1] = id
  return true
end
local function count(user, by)
  if counts[user] == nil then counts[user] = tonumber(redis.call('HGET', KEYS[5], user) or '0') or 0 end
  counts[user] = counts[user] + by
end
local function drop(id, index)
  if id and load(id) and records[id].set[index] then
    records[id].set[index] = nil
    if records[id][1] ~= 'x' then count(records[id][2], -1) end
  end
end

local owners, groups, free, changed = {}, {}, tonumber(m[2]), 0
for i = 6, #ARGV, 7 do
  local index, state, owner = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local was = redis.call('HGET', KEYS[2], index)
  local old = string.sub(map, tonumber(index) + 1, tonumber(index) + 1)
  if old == '' then return {'-9', 'CORRUPT', 'index'} end
  local touch = owner ~= '' or was == nil or was == false or was == ARGV[3]
  if touch and was and was ~= owner then drop(was, index) end
  if owner ~= '' and not load(owner) then
    records[owner] = {state, ARGV[i + 3], ARGV[i + 4], '0', '0', ARGV[i + 6], '', '', set = {}, list = {}}
    order[#order + 1] = owner
  end
  if owner ~= '' and not records[owner].set[index] then
    local r = records[owner]
    r.set[index] = true
    r.list[#r.list + 1] = index
    if state ~= 'x' then count(r[2], 1) end
  end
  if owner ~= '' then records[owner][1] = state end
  if touch and (old ~= state or (was or '') ~= owner) then
    changed = changed + 1
    owners[index] = owner
    groups[state] = groups[state] or {}
    table.insert(groups[state], index)
    if old == '.' and state ~= '.' then free = free - 1 end
    if old ~= '.' and state == '.' then free = free + 1 end
  end
end
local ends = ARGV[3] ~= '' and load(ARGV[3]) and records[ARGV[3]][6] == ARGV[4]
if changed == 0 and not ends then return {'0', 'NOTHING'} end
if ends then -- what its record still lists belongs to others
  local r = records[ARGV[3]]
  for index in pairs(r.set) do drop(ARGV[3], index) end
end
redis.call('XLEN', KEYS[6])

local ver = tonumber(m[3])
for _, state in ipairs({'.', 'h', 's', 'x'}) do
  if groups[state] then
    ver = ver + 1
    redis.call('XADD', KEYS[6], '*', 'v', '1', 'type', 'repaired', 'epoch', m[1], 'screening', ARGV[2], 'hold', ARGV[3],
      'user', '', 'attempt', ARGV[4], 'qty', tostring(#groups[state]), 'at', ARGV[1], 'ver', tostring(ver),
      'seats', table.concat(groups[state], ','), 'state', state)
    for _, index in ipairs(groups[state]) do
      redis.call('SETRANGE', KEYS[1], index, state)
      if owners[index] == '' then redis.call('HDEL', KEYS[2], index) else redis.call('HSET', KEYS[2], index, owners[index]) end
    end
  end
end
for _, id in ipairs(order) do
  local r, left = records[id], {}
  for _, index in ipairs(r.list) do if r.set[index] then left[#left + 1] = index end end
  if #left == 0 then
    redis.call('HDEL', KEYS[4], id)
  else
    redis.call('HSET', KEYS[4], id, table.concat({'1', r[1], r[2], r[3], tostring(#left), r[5], r[6], table.concat(left, ','), r[8]}, '|'))
  end
end
for user, n in pairs(counts) do
  if n > 0 then redis.call('HSET', KEYS[5], user, tostring(n)) else redis.call('HDEL', KEYS[5], user) end
end
redis.call('HSET', KEYS[3], 'free', tostring(free), 'ver', tostring(ver))
return {'1', 'REPAIRED', tostring(ver), tostring(changed)}
