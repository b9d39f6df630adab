import { get } from 'node:http'
import { setPriority } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'

/**
 * Probes a service on new connections until SIGTERM: `node probe-child.ts <URL> <pid of the service>`. Then
 * prints its results as one line of JSON. Runs in its own process with priority, so that it does not measure
 * the load.
 */
const [, , url = '', pid = ''] = process.argv
const everyMs = 50
const giveUpMs = 30_000

try {
  setPriority(-10)
} catch {
  // Only root may raise the priority.
}
const ownDelay = monitorEventLoopDelay({ resolution: 10 })
ownDelay.enable()
const responses: { at: number; ms: number; ownMs: number; status: number | string }[] = []

function probe(): void {
  const at = Date.now()
  const startedAt = performance.now()
  const ownMs = measureOwnMs(['self', Number(pid)])
  const note = (status: number | string) =>
    void responses.push({
      at,
      ms: Math.round(performance.now() - startedAt),
      ownMs: Math.round(ownMs()),
      status,
    })
  const request = get(url, { agent: false, timeout: giveUpMs }, (response) => {
    response.resume()
    response.on('end', () => note(response.statusCode ?? 0))
  })
  request.on('timeout', () => request.destroy(new Error('no answer')))
  request.on('error', (error) => note(error.message))
}

const timer = setInterval(probe, everyMs)
console.log('probing')
process.on('SIGTERM', () => {
  clearInterval(timer)
  const ownDelayMs = Math.round(ownDelay.max / 1e6)
  process.stdout.write(`${JSON.stringify({ responses, ownDelayMs })}\n`, () => process.exit(0))
})
