import { startLocal } from '../../../src/local/start-local.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { makeTestDatabase } from '../database/test-database.ts'
import { findServicePort } from '../programs/service-port.ts'
import { makeEmptyData, seedData } from './data.ts'
import { type Replica, startReplica } from './replica.ts'
import { shortTimings } from './seams.ts'
import { readLocal, settingsLike } from './service.ts'
import { openShop, type Shop } from './shop.ts'

export type ChaosStand = {
  readonly replicas: readonly Replica[]
  readonly shop: Shop
  /** Starts another replica that stops itself at a moment. The caller stops it. */
  startMore(stopsAt: string): Promise<Replica>
  stop(): Promise<void>
}

export async function openChaosStand(count: number): Promise<ChaosStand> {
  const data = await makeEmptyData()
  const database = await makeTestDatabase()
  const parts: (() => Promise<unknown>)[] = [() => data.remove(), () => database.drop()]
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part()
  }
  try {
    const { dataDir } = data
    await seedData(dataDir, { DATABASE_URL: database.url })
    const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: database.url })
    const chain = await startLocal(config, makeLog('error'), { timings: shortTimings })
    parts.push(() => chain.stop())
    const port = await findServicePort()
    const local = {
      ...(await readLocal(dataDir)),
      rpcUrl: chain.rpcUrl,
      baseUrl: `http://127.0.0.1:${port}`,
    }
    const settings = await settingsLike(local, dataDir)
    const replicas: Replica[] = []
    for (let i = 0; i < count; i++) {
      const place = { dataDir: `${dataDir}-${i}`, port: i === 0 ? port : await findServicePort() }
      const replica = await startReplica(`replica ${i + 1}`, { ...place, settings })
      parts.push(() => replica.stop())
      replicas.push(replica)
    }
    const shop = await openShop(
      local,
      replicas.map(({ baseUrl }) => baseUrl),
    )
    parts.push(() => shop.close())
    let more = count
    const startMore = async (stopsAt: string) => {
      const place = { dataDir: `${dataDir}-${more++}`, port: await findServicePort() }
      return startReplica(stopsAt, { ...place, settings }, stopsAt)
    }
    return { replicas, shop, startMore, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
