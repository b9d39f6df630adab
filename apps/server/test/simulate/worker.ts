import { writeFile } from 'node:fs/promises'
import { Pool } from '../../src/platform/database/database.ts'
import { makeLog } from '../../src/platform/log.ts'
import { shorten } from './shorten.ts'
import { simulate } from './simulation.ts'

/** Where a worker runs its seeds. `null` as the next seed ends it. */
export type WorkPlace = {
  readonly databaseUrl: string
  readonly dataDir: string
  readonly factoryCode: `0x${string}`
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

/** A worker process: runs each seed that it is sent, and reports. */
async function work(): Promise<void> {
  const { databaseUrl, dataDir, factoryCode, tracePath } = JSON.parse(process.argv[2] ?? '') as WorkPlace
  const pool = new Pool({ url: databaseUrl, log: makeLog('error') })
  const place = { pool, dataDir, factoryCode }
  process.on('message', async (seed: number | null) => {
    if (seed === null) {
      await pool.close()
      process.disconnect()
      return
    }
    try {
      const outcome = await simulate(place, seed)
      const { broken, timeline } = outcome.broken === undefined ? outcome : await shorten(place, outcome)
      const { hash, trace } = outcome
      if (tracePath !== undefined) await writeFile(tracePath, trace.join('\n'))
      process.send?.({ seed, hash, stepCount: trace.length, broken, timeline } satisfies SeedReport)
    } catch (error) {
      const broken = error instanceof Error ? (error.stack ?? error.message) : String(error)
      process.send?.({ seed, hash: '', stepCount: 0, broken, timeline: [] } satisfies SeedReport)
    }
  })
  process.send?.('ready')
}

await work()
