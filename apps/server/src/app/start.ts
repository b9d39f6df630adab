import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { NudgeListener } from '../platform/notify.ts'
import { Secrets } from '../platform/secrets.ts'
import { Ticker } from '../platform/ticker.ts'
import { receiptRoutes } from '../receipts/routes.ts'
import { splitRoutes } from '../split/routes.ts'
import { addHealth } from './health.ts'
import { makeHttp } from './http.ts'
import { makeJobs } from './jobs.ts'
import type { CompleteConfig, World } from './world.ts'

/** A service at work. */
export type RunningSluice = {
  /** Where it listens: with PORT=0 the port it was given. */
  readonly port: number
  readonly app: FastifyInstance
  readonly secrets: Secrets
  /** Answers what was accepted, ends the rounds under way, then lets go of everything. */
  stop(): Promise<void>
}

const brand = { key: 'service', name: 'Sluice' } as const

/**
 * Puts the service together and sets it to work: routes, pages, jobs. The database is migrated before.
 */
export async function startSluice(world: World, config: CompleteConfig): Promise<RunningSluice> {
  const secrets = new Secrets(config.masterKey, world.random)
  const ticker = new Ticker(world, makeJobs(world, config, secrets))
  const listener = new NudgeListener({
    url: config.databaseUrl,
    clock: world.clock,
    log: world.log,
    onNudge: (name) => ticker.nudge(name),
  })
  const site = { baseUrl: config.baseUrl, chainId: config.chainId, isProduction: config.isProduction }
  const app = makeHttp({ ...world, edgeSecret: config.edgeSecret }, [
    ...receiptRoutes({ ...world, brand, site }),
    ...splitRoutes(world),
  ])
  addHealth(app)
  await app.listen({ port: config.port, host: config.host })
  await listener.open()
  ticker.start()
  return {
    port: (app.server.address() as AddressInfo).port,
    app,
    secrets,
    async stop() {
      await app.close()
      await ticker.stop()
      await listener.close()
      await world.close()
    },
  }
}
