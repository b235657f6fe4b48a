-- set_settings: mirror a screening's sale settings. A lower number than the one in force is ignored, so the last
-- change wins whatever the order of arrival.
-- KEYS  1 meta
-- ARGV  1 settings number  2 on_sale  3 opens_ms  4 closes_ms  5 limit  6 orphan
-- Answer {code, reason}: 1 SET   0 OLDER   -1 STOCK_KEY_NOT_EXIST
local current = redis.call('HGET', KEYS[1], 'settings')
if not current then return {'-1', 'STOCK_KEY_NOT_EXIST'} end
if tonumber(ARGV[1]) < (tonumber(current) or 0) then return {'0', 'OLDER'} end
redis.call('HSET', KEYS[1], 'settings', ARGV[1], 'on_sale', ARGV[2], 'opens_ms', ARGV[3], 'closes_ms', ARGV[4],
  'limit', ARGV[5], 'orphan', ARGV[6])
return {'1', 'SET'}
