import { openRuntime } from '../../../src/app/runtime.ts'
import { usualTimings } from '../../../src/platform/jobs/timings.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { runSluice } from '../../../src/run.ts'
import { farAwayMs, openRpcProxy } from '../chain/endpoints.ts'
import { Killer, makeMortal, shortTimings, watchQueries } from './seams.ts'

// Runs the service of `main.ts`, which kills itself at KILL_AT. IS_FAR slows down its chain, and IS_SHORT
// shortens its timings.
const { KILL_AT = '', KILL_SIGNAL, IS_FAR, IS_SHORT, ...settings } = process.env
const config = readConfig(settings)
const killer = new Killer(KILL_AT, KILL_SIGNAL === 'SIGSTOP' ? 'SIGSTOP' : 'SIGKILL')
watchQueries(killer)
const way = IS_FAR === undefined ? undefined : await openRpcProxy(farAwayMs)
const parts: { stop(): Promise<void> }[] = []
process.once('SIGTERM', async () => {
  for (const part of parts.toReversed()) await part.stop()
  process.exit(0)
})
await runSluice(config, makeLog(config.logLevel), {
  timings: IS_SHORT === undefined ? usualTimings : shortTimings,
  keep: (part) => void parts.push(part),
  open: (complete, ...rest) => {
    const [rpcUrl] = complete.rpcUrls
    if (way && rpcUrl) way.leadTo(rpcUrl)
    return makeMortal(openRuntime(way ? { ...complete, rpcUrls: [way.url] } : complete, ...rest), killer)
  },
})
