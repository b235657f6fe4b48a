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
local m, map = redis.call('HMGET', KEYS[3], 'epoch', 'free', 'ver'), redis.call('GET', KEYS[1])
if not (m[1] and m[2] and m[3] and map) then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if m[1] ~= ARGV[5] then return {'-4', 'STALE_EPOCH'} end
local free, ver = tonumber(m[2]), tonumber(m[3])
if not (free and ver) then return {'-9', 'CORRUPT', 'meta'} end

local records, counts, order, dirty = {}, {}, {}, false
local function load(id)
  if records[id] then return true end
  local r = {string.match(redis.call('HGET', KEYS[4], id) or '', FIELDS)}
  if r[1] == nil then return false end
  r.set, r.list = {}, {}
  for index in string.gmatch(r[7], '%d+') do r.set[index] = true; r.list[#r.list + 1] = index end
  records[id], order[#order + 1] = r, id
  return true
end
local function count(user, by)
  counts[user] = (counts[user] or tonumber(redis.call('HGET', KEYS[5], user) or '0') or 0) + by
end
local function drop(id, index)
  if load(id) and records[id].set[index] then
    records[id].set[index], dirty = nil, true
    if records[id][1] ~= 'x' then count(records[id][2], -1) end
  end
end

local ends = ARGV[3] ~= '' and (not load(ARGV[3]) or records[ARGV[3]][6] == ARGV[4])
local owners, groups, changed = {}, {}, 0
for i = 6, #ARGV, 7 do
  local index, state, owner = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local was = redis.call('HGET', KEYS[2], index) or ''
  local old = string.sub(map, tonumber(index) + 1, tonumber(index) + 1)
  if old == '' then return {'-9', 'CORRUPT', 'index'} end
  local touch = owner ~= '' or was == '' or (ends and was == ARGV[3])
  if touch and was ~= owner then drop(was, index) end
  if owner ~= '' then
    if not load(owner) then
      records[owner] = {state, ARGV[i + 3], ARGV[i + 4], '0', '0', ARGV[i + 6], '', '', set = {}, list = {}}
      order[#order + 1] = owner
    end
    local r = records[owner]
    if not r.set[index] then
      r.set[index], r.list[#r.list + 1], dirty = true, index, true
      if state ~= 'x' then count(r[2], 1) end
    end
    if r[1] ~= state then r[1], dirty = state, true end
  end
  if touch and (old ~= state or was ~= owner) then
    changed = changed + 1
    owners[index] = owner
    groups[state] = groups[state] or {}
    table.insert(groups[state], index)
    free = free + (state == '.' and 1 or 0) - (old == '.' and 1 or 0)
  end
end
if ends and records[ARGV[3]] then -- what it lists and others own; a seat that nobody named stays with it
  for index in pairs(records[ARGV[3]].set) do
    local owner = owners[index] or redis.call('HGET', KEYS[2], index)
    if owner ~= ARGV[3] then drop(ARGV[3], index) end
  end
end
if changed == 0 and not dirty then return {'0', 'NOTHING'} end
redis.call('XLEN', KEYS[6])

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
  for _, index in ipairs(r.list) do if r.set[index] then r.set[index], left[#left + 1] = nil, index end end
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
