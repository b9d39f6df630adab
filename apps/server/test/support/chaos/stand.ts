import { startLocal } from '../../../src/local/start-local.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { makeTestDatabase, workerUrls } from '../database/test-database.ts'
import { makeEmptyData } from '../kill/data.ts'
import { readLocal, spawnService } from '../kill/service.ts'
import { settingsLike } from '../kill/settings.ts'
import { openShop, type Shop } from '../kill/shop.ts'
import { shortTimings } from '../kill/short-timings.ts'
import { findServicePort } from '../programs/service-port.ts'
import { type Replica, startReplica } from './replica.ts'
import { findWorker, type Worker } from './worker.ts'

/** Replicas on one database and one chain, of which none is in the same process, and a shop at all of them. */
export type ChaosStand = {
  readonly replicas: readonly Replica[]
  /** Of the cluster that the database is spread over, where they are ours to harm. */
  readonly workers: readonly Worker[]
  readonly shop: Shop
  /** One more, which stops itself at a moment; not among the others, and to be stopped by who starts it. */
  startMore(stopsAt: string): Promise<Replica>
  stop(): Promise<void>
}

/**
 * Seeds a database of the run's PostgreSQL, or of the cluster that `TEST_POSTGRES_URL` and `TEST_POSTGRES_WORKERS` lead to,
 * and starts `count` replicas on it.
 *
 * @param options.hasWorkers - The cluster's workers run on this machine, and nobody else uses them.
 */
export async function openChaosStand(
  count: number,
  options: { hasWorkers?: boolean } = {},
): Promise<ChaosStand> {
  const data = await makeEmptyData()
  const database = await makeTestDatabase()
  const parts: (() => Promise<unknown>)[] = [() => data.remove(), () => database.drop()]
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part()
  }
  try {
    const { dataDir } = data
    const seeding = spawnService({
      dataDir,
      port: await findServicePort(),
      settings: { DATABASE_URL: database.url },
    })
    await seeding.ready
    seeding.signal('SIGTERM')
    await seeding.ended
    const place = readConfig({ DATA_DIR: dataDir, DATABASE_URL: database.url })
    const { rpcUrl, stop: stopChain } = await startLocal(place, makeLog('error'), { timings: shortTimings })
    parts.push(stopChain)
    const ports = await Promise.all(Array.from({ length: count }, () => findServicePort()))
    const local = { ...(await readLocal(dataDir)), rpcUrl, baseUrl: `http://127.0.0.1:${ports[0]}` }
    const settings = await settingsLike(local, dataDir)
    const replicas: Replica[] = []
    for (const [i, port] of ports.entries()) {
      const place = { dataDir: `${dataDir}-${i}`, port, settings, isRestarted: options.hasWorkers === true }
      const replica = await startReplica(`replica ${i + 1}`, place)
      parts.push(() => replica.stop())
      replicas.push(replica)
    }
    const shop = await openShop(
      local,
      replicas.map(({ baseUrl }) => baseUrl),
    )
    parts.push(() => shop.close())
    const workers = options.hasWorkers ? await Promise.all(workerUrls().map(findWorker)) : []
    parts.push(() => Promise.all(workers.map((worker) => worker.heal())))
    let more = count
    const startMore = async (stopsAt: string) => {
      const place = { dataDir: `${dataDir}-${more++}`, port: await findServicePort(), settings }
      return startReplica(stopsAt, place, stopsAt)
    }
    return { replicas, workers, shop, startMore, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
