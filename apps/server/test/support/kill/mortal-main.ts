import { openWorld } from '../../../src/app/world.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { runSluice } from '../../../src/run.ts'
import { Killer, makeMortal, watchQueries } from './seams.ts'

/** The whole service as `main.ts` runs it, killed by itself at the moment that KILL_AT names. */
const { KILL_AT = '', KILL_SIGNAL, ...settings } = process.env
const config = readConfig(settings)
const killer = new Killer(KILL_AT, KILL_SIGNAL === 'SIGSTOP' ? 'SIGSTOP' : 'SIGKILL')
watchQueries(killer)
await runSluice(config, makeLog(config.logLevel), {
  keep: () => {},
  open: (...world) => makeMortal(openWorld(...world), killer),
})
