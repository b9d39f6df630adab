import { openRuntime } from '../../../src/app/runtime.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { runSluice } from '../../../src/run.ts'
import { farAwayMs, openRpcProxy } from '../chain/endpoints.ts'
import { Killer, makeMortal, watchQueries } from './seams.ts'

/**
 * The whole service as `main.ts` runs it, killed by itself at the moment that KILL_AT names, and with IS_FAR a long
 * way from its chain.
 */
const { KILL_AT = '', KILL_SIGNAL, IS_FAR, ...settings } = process.env
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
  keep: (part) => void parts.push(part),
  open: (complete, ...rest) => {
    const [rpcUrl] = complete.rpcUrls
    if (way && rpcUrl) way.leadTo(rpcUrl)
    const world = openRuntime(way ? { ...complete, rpcUrls: [way.url] } : complete, ...rest)
    return makeMortal(world, killer)
  },
})
