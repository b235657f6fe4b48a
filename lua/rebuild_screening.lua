-- rebuild_screening: shut a screening's gate, or replace everything it has in the hold store under a new epoch.
-- KEYS  1 store  2 seats  3 owners  4 meta  5 holds  6 users  7 events
-- ARGV  1 'gate'  2 the ledger's epoch as the rebuilder read it
-- Answer {code, reason}: 1 SHUT   0 NOT_WARMED (missing or broken keys are a shut gate by themselves)   0 NEWER
--   (somebody has rebuilt it since: its gate is not this rebuilder's)
-- ARGV  1 'write'  2 now_ms  3 screening id  4 epoch  5 map ('' = general admission)  6 free  7 settings
--       8 on_sale  9 opens_ms  10 closes_ms  11 limit  12 orphan
--       13 n, then n × (seat index, owner)   then n, n × (hold id, record)   then n, n × (user, live seats)
-- Answer {code, reason, …}: 1 REBUILT stream_id   -4 STALE_EPOCH epoch (not greater than what is there)
--   -8 STORE_CHANGED (the server has no run id yet)
if ARGV[1] == 'gate' then
  if redis.call('TYPE', KEYS[4]).ok ~= 'hash' then return {'0', 'NOT_WARMED'} end
  local epoch = tonumber(redis.call('HGET', KEYS[4], 'epoch') or '')
  if not epoch then return {'0', 'NOT_WARMED'} end
  if epoch > tonumber(ARGV[2]) then return {'0', 'NEWER'} end
  redis.call('HSET', KEYS[4], 'gate', '2')
  return {'1', 'SHUT'}
end

local store = redis.call('GET', KEYS[1])
if not store then return {'-8', 'STORE_CHANGED'} end
if redis.call('EXISTS', KEYS[4]) == 1 and redis.call('TYPE', KEYS[4]).ok == 'hash' then
  local epoch = tonumber(redis.call('HGET', KEYS[4], 'epoch') or '0') or 0
  if tonumber(ARGV[4]) <= epoch then return {'-4', 'STALE_EPOCH', tostring(epoch)} end
end
redis.call('XLEN', KEYS[7])

local entry = redis.call('XADD', KEYS[7], '*', 'v', '1', 'type', 'rebuilt', 'epoch', ARGV[4], 'screening', ARGV[3],
  'hold', '', 'user', '', 'attempt', '0', 'qty', ARGV[6], 'at', ARGV[2], 'ver', '1', 'seats', '', 'state', '', 'map', ARGV[5])
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
if ARGV[5] ~= '' then redis.call('SET', KEYS[2], ARGV[5]) end
local at = 13
for k = 3, 6 do
  if k ~= 4 then
    redis.call('HSET', KEYS[k], '_', ARGV[4])
    local n = tonumber(ARGV[at])
    for i = 0, n - 1 do redis.call('HSET', KEYS[k], ARGV[at + 1 + 2 * i], ARGV[at + 2 + 2 * i]) end
    at = at + 1 + 2 * n
  end
end
redis.call('HSET', KEYS[4], '_', ARGV[4], 'free', ARGV[6], 'ver', '1', 'epoch', ARGV[4], 'store', store, 'gate', '0',
  'settings', ARGV[7], 'on_sale', ARGV[8], 'opens_ms', ARGV[9], 'closes_ms', ARGV[10], 'limit', ARGV[11], 'orphan', ARGV[12])
return {'1', 'REBUILT', entry}
