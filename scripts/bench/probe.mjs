// Plain JavaScript: the compiler of TypeScript would be loaded into what is measured, and its memory measured with it.
import { createServer } from 'node:net'
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import pg from 'pg'

/**
 * Loaded into the service that is measured, by `--import`: counts the statements it sends and how often V8 collects old
 * data, watches how late its event loop is, and tells all that to whoever connects to the socket of `BENCH_PROBE`. The service itself knows nothing of it.
 */
const path = process.env.BENCH_PROBE
// Its helper processes inherit the option; the first process is the service.
delete process.env.BENCH_PROBE
delete process.env.NODE_OPTIONS
if (path !== undefined) watch(path)

/** @param {string} socketPath */
function watch(socketPath) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  /** @type {{ query: (...args: unknown[]) => unknown }} */
  const prototype = pg.Client.prototype
  const { query } = prototype
  prototype.query = function (...args) {
    const [asked] = /** @type {[string | { name?: string, text?: string }]} */ (args)
    const name = typeof asked === 'string' ? asked : (asked?.name ?? asked?.text ?? 'other')
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return query.apply(this, args)
  }
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let collections = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = /** @type {{ kind?: number }} */ (entry.detail)
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
    }
  }).observe({ entryTypes: ['gc'] })
  const server = createServer((socket) => {
    const { user, system } = process.cpuUsage()
    /** @type {import('./read-probe.ts').Reading} */
    const reading = {
      statements: Object.fromEntries(counts),
      delayMs: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
      collections,
      rssBytes: process.memoryUsage.rss(),
      cpuMs: (user + system) / 1e3,
    }
    delay.reset()
    socket.on('error', () => {})
    socket.end(JSON.stringify(reading))
  })
  server.on('error', () => {})
  server.listen(socketPath)
  server.unref()
}
