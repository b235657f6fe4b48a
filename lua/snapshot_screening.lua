-- snapshot_screening: everything the hold store knows of one screening, as of one moment.
-- KEYS  1 store  2 seats  3 owners  4 meta  5 holds  6 users  7 inflight
-- Answer {'1', 'SNAPSHOT', store, map, owners, meta, holds, users, in-flight hold ids}; the middle four are flat
--   field-value lists, the map is '' for general admission.   {'-1', 'STOCK_KEY_NOT_EXIST'}
if redis.call('EXISTS', KEYS[3], KEYS[4], KEYS[5], KEYS[6]) < 4 then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
local holds, inflight = redis.call('HGETALL', KEYS[5]), {}
for i = 1, #holds, 2 do
  if redis.call('ZSCORE', KEYS[7], holds[i]) then inflight[#inflight + 1] = holds[i] end
end
return {'1', 'SNAPSHOT', redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or '', redis.call('HGETALL', KEYS[3]),
  redis.call('HGETALL', KEYS[4]), holds, redis.call('HGETALL', KEYS[6]), inflight}
