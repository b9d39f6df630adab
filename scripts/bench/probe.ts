import { createServer } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import pg from 'pg'
import type { Reading } from './read-probe.ts'

/**
 * Loaded into the service that is measured, by `--import`: counts the statements it sends, watches how late its event
 * loop is, and tells both to whoever connects to the socket of `BENCH_PROBE`. The service itself knows nothing of it.
 */
const path = process.env.BENCH_PROBE
// Its helper processes inherit the option; the first process is the service.
delete process.env.BENCH_PROBE
delete process.env.NODE_OPTIONS
if (path !== undefined) watch(path)

function watch(socketPath: string): void {
  const counts = new Map<string, number>()
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const { query } = prototype
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [asked] = args as [string | { name?: string; text?: string }]
    const name = typeof asked === 'string' ? asked : (asked?.name ?? asked?.text ?? 'other')
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return query.apply(this, args)
  }
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const server = createServer((socket) => {
    const { user, system } = process.cpuUsage()
    const reading: Reading = {
      statements: Object.fromEntries(counts),
      delayMs: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
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
