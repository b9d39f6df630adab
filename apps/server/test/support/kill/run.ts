import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findBroken } from '../chain/check-invariants.ts'
import { findServicePort } from '../programs/service-port.ts'
import type { DataCopy } from './data.ts'
import { type RunOutcome, readOutcome } from './outcome.ts'
import { playSales, type Sale, waitForEnd } from './sale.ts'
import { openShop, type Shop } from './shop.ts'
import { SupervisedService } from './supervised-service.ts'

export type Run = {
  readonly data: DataCopy
  readonly sales: readonly Sale[]
  /** Moments (seams.ts) at which the service dies, in this order. */
  readonly killAts?: readonly string[]
  readonly onStart?: (service: SupervisedService) => Promise<void>
  readonly prepare?: (shop: Shop) => void
  /** Runs during the sales. The run ends after both. */
  readonly meanwhile?: (shop: Shop, service: SupervisedService) => Promise<void>
  readonly expectedDeaths?: number
  /** Whether the chain loses payments for a while (check-invariants.ts). */
  readonly hasLostPayments?: boolean
}

/**
 * Plays the sales against a supervised service until no work is left. Then checks the invariants, stops the
 * service and removes its data.
 */
export async function playRun(run: Run): Promise<RunOutcome> {
  const { data, killAts = [] } = run
  const service = new SupervisedService({ dataDir: data.dataDir, port: await findServicePort() }, killAts)
  let shop: Shop | undefined
  try {
    await run.onStart?.(service)
    shop = await openShop(await service.ready(), [service.baseUrl])
    run.prepare?.(shop)
    await Promise.all([playSales(shop, run.sales), run.meanwhile?.(shop, service)])
    const ids = run.sales.map(({ id }) => id)
    await service.ready()
    await waitForEnd(shop, ids)
    assert.equal(service.deathCount, run.expectedDeaths ?? killAts.length, 'deaths')
    assert.deepEqual(await findBroken(shop.db, shop.local.rpcUrl, run), [], 'invariants')
    const outcome = await readOutcome(shop, ids)
    assert.deepEqual(await service.stop(), { code: 0, signal: null }, 'the end')
    return outcome
  } catch (error) {
    const chain = await readFile(join(data.dataDir, 'chain', 'anvil.log'), 'utf8').catch(() => '')
    const said = `The service said:\n${service.said.slice(-8_000)}\nThe chain said:\n${chain.slice(-2_000)}`
    throw new Error(`${(error as Error).message}\n\n${said}`, { cause: error })
  } finally {
    await service.abandon()
    await shop?.close()
    await data.remove()
  }
}
