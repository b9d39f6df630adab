import { type FastifyInstance, fastify, type LightMyRequestResponse } from 'fastify'
import { addReadiness } from '../../../src/app/probes/health.ts'
import { findNewestMigrationFile } from '../../../src/platform/database/opening/migrate.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'

export type SeenChain = {
  readonly latest: number
  readonly final?: number
  readonly cursor: number
  readonly seenAgoMs?: number
  readonly blockAheadMs?: number
  readonly finalAgoMs?: number
}

export type ProbedService = {
  readonly database: TestDatabase
  readonly newestMigration: string
  readonly chain: { readonly id: number }
  readonly clock: TestClock
  begin(): Promise<void>
  see(blocks: SeenChain): Promise<void>
  ask(
    path: string,
    add: (app: FastifyInstance) => void,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>
  /** Requests the readiness of a service that is healthy except for `changes`. */
  readiness(
    changes?: Partial<ReadinessNeeds>,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>
  stop(): Promise<void>
}

type ReadinessNeeds = Parameters<typeof addReadiness>[1]

const tables = ['chain_head', 'chain_cursor', 'chain_block', 'deferred_item', 'outgoing_transaction']

export const wellParts = {
  rates: { usability: [] },
  dataFolder: async () => ({ freeBytes: 2 ** 30, error: undefined }),
}

export async function startProbedService(): Promise<ProbedService> {
  const database = await makeTestDatabase()
  const newestMigration = await findNewestMigrationFile()
  let clock = new TestClock()
  const run = (name: string, text: string, values: (string | number)[] = []) =>
    database.pool.run({ name, text }, values)
  const saveBlock = (number: number, at: number) =>
    run('test-block', `INSERT INTO chain_block VALUES (31337, $1, '0x1', '0x0', $2)`, [number, at])
  const probed: ProbedService = {
    database,
    newestMigration,
    chain: { id: 31337 },
    get clock() {
      return clock
    },
    async begin() {
      clock = new TestClock()
      for (const table of tables) await run(`test-empty-${table}`, `DELETE FROM ${table}`)
    },
    async see({ latest, final = latest, cursor, seenAgoMs = 0, blockAheadMs = 0, finalAgoMs }) {
      const now = clock.now()
      const head = [latest, final, now - seenAgoMs]
      await run('test-head', 'INSERT INTO chain_head VALUES (31337, $1, $2, $2, $3)', head)
      const text = `INSERT INTO chain_cursor VALUES (31337, 'transfers', $1, '0x1', $2, $2)`
      await run('test-cursor', text, [cursor, now])
      await saveBlock(latest, now + blockAheadMs)
      if (finalAgoMs !== undefined) await saveBlock(final, now - finalAgoMs)
    },
    async ask(path, add, headers = {}) {
      const app = fastify()
      add(app)
      const response = await app.inject({ url: path, headers })
      await app.close()
      return response
    },
    readiness(changes, headers) {
      const factory = async () => ({ kind: 'stands' }) as const
      const needs = {
        ...{ db: database.pool, clock, chain: probed.chain, newestMigration, factory },
        ...{ refusedWrites: database.pool.refusedWrites, ...wellParts, ...changes },
      }
      return probed.ask('/readyz', (app) => addReadiness(app, needs), headers)
    },
    stop: () => database.drop(),
  }
  return probed
}
