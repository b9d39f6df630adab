import { writeFile } from 'node:fs/promises'
import { Pool } from '../../src/platform/database/database.ts'
import { makeLog } from '../../src/platform/log.ts'
import type { Place } from './cluster.ts'
import { shorten } from './shorten.ts'
import { simulate } from './simulation.ts'

/** Where a worker runs its seeds. `null` as the next seed ends it. */
export type WorkPlace = {
  readonly databaseUrl: string
  readonly dataDir: string
  readonly factoryCode: `0x${string}`
  readonly pullFactoryCode: `0x${string}`
  /** File for the trace of each seed. */
  readonly tracePath?: string | undefined
}

export type SeedReport = {
  readonly seed: number
  readonly hash: string
  readonly stepCount: number
  readonly broken: string | undefined
  readonly timeline: readonly string[]
}

/** A worker process: first receives its place, then seeds, and reports each. */
async function work({ databaseUrl, dataDir, tracePath, ...codes }: WorkPlace): Promise<void> {
  const pool = new Pool({ url: databaseUrl, log: makeLog('error') })
  const place = { pool, dataDir, ...codes }
  process.on('message', async (seed: number | null) => {
    if (seed !== null) {
      process.send?.(await run(place, seed, tracePath))
      return
    }
    await pool.close()
    process.disconnect()
  })
  process.send?.('ready')
}

async function run(place: Place, seed: number, tracePath: string | undefined): Promise<SeedReport> {
  try {
    const outcome = await simulate(place, seed)
    const { hash, trace } = outcome
    if (tracePath !== undefined) await writeFile(tracePath, trace.join('\n'))
    const { broken, timeline } = outcome.broken === undefined ? outcome : await shorten(place, outcome)
    return { seed, hash, stepCount: trace.length, broken, timeline }
  } catch (error) {
    const broken = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { seed, hash: '', stepCount: 0, broken, timeline: [] }
  }
}

process.once('message', work)
