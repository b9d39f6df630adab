/**
 * How Linux is to allocate memory for the service. By default it keeps up to eight pools a core, which all keep what was freed in
 * them, and after one large block it takes blocks as large from a pool, too, where what lies behind them keeps their memory: up to
 * 25 MB of a service at rest. From 128 KB on a block has memory of its own now, which is given back with it.
 */
export const allocation = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
