import { expect, test, vi } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { readOutcome } from '../../support/kill/outcome.ts'
import { playSales, type Sale } from '../../support/kill/sale.ts'
import { copySeededData } from '../../support/kill/seeded.ts'
import { settingsLike, spawnService } from '../../support/kill/service.ts'
import { openShop } from '../../support/kill/shop.ts'
import { SupervisedService } from '../../support/kill/supervised-service.ts'
import { perFile } from '../../support/per-file.ts'
import { findServicePort } from '../../support/programs/service-port.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const data = perFile(copySeededData)
const first = perFile(
  async () => new SupervisedService({ dataDir: data.dataDir, port: await findServicePort() }),
)
const local = perFile(() => first.ready())
const second = perFile(async () => {
  const dataDir = `${data.dataDir}-of-the-second`
  const settings = await settingsLike(local, data.dataDir)
  const service = new SupervisedService({ dataDir, port: await findServicePort(), settings })
  await service.untilReady()
  return service
})
const shop = perFile(() => openShop(local, [first.baseUrl, second.baseUrl]))

function makeSales(name: string, count: number): Sale[] {
  return Array.from({ length: count }, (_, i) => {
    const token = i % 2 === 0 ? 'USDC' : 'ETH'
    const way = i % 4 < 2 ? 'transfer' : 'call'
    return { id: `${name}-${i}`, token, way, usd: 10 + i }
  })
}

async function expectEachOnce(played: readonly Sale[]): Promise<void> {
  const ids = played.map(({ id }) => id)
  const { sales } = await readOutcome(shop, ids)
  for (const [id, sale] of Object.entries(sales)) {
    expect(sale.receipt, id).toMatchObject({ status: 'reconciled', payment: { state: 'paid', missing: '0' } })
    expect(sale.payments, id).toMatchObject([{ state: 'credited', claims: 1, is_late: false }])
    expect(sale.arrivals, id).toMatchObject([{ is_distributed: true, is_lost: false, held: null }])
    const keys = ['paid', 'reconciled'].map((status) => `receipt-status:${id}:${status}:<its payment>`)
    expect(sale.reported, id).toEqual(keys)
    expect(sale.owed, id).toEqual(keys.map((key) => `${key} delivered`))
  }
  expect(await findBroken(shop.db, shop.local.rpcUrl)).toEqual([])
}

async function findMembers(): Promise<number[]> {
  const text = `SELECT holder FROM lease
    WHERE starts_with(name, 'replica/') AND held_until > clock_timestamp()`
  const rows = await shop.db.rows<{ holder: string }>({ name: '', text })
  return rows.map(({ holder }) => Number(holder.split('-')[0])).sort()
}

test('a second service on the data directory is refused, names the first, and harms nothing', async () => {
  const port = await findServicePort()
  const intruder = spawnService({ dataDir: data.dataDir, port })
  intruder.ready.catch(() => {})
  expect(await intruder.ended).toEqual({ code: 1, signal: null })
  expect(intruder.said()).toContain(`is in use by a running service (process ${first.pid})`)
  const played = makeSales('undisturbed', 1)
  await playSales(shop, played)
  await expectEachOnce(played)
})

test('two services on one database and chain share the work, and each thing is done once', async () => {
  expect(await until(async () => (await findMembers()).length === 2, 60_000)).toBe(true)
  expect(await findMembers()).toEqual([first.pid, second.pid].sort())
  const played = makeSales('shared', 20)
  await playSales(shop, played)
  await expectEachOnce(played)
})

test.each([
  ['the one that has started database and chain', () => first],
  ['the other one', () => second],
])('kill -9 of %s at any moment leaves nothing undone', async (_, choose) => {
  const service = choose()
  const afterMs = Math.round(Math.random() * 2_000)
  const played = makeSales(`killed-${service.pid}`, 8)
  const playing = playSales(shop, played)
  await until(() => false, afterMs)
  service.killForGood()
  await playing.catch((error: Error) => {
    throw new Error(`killed after ${afterMs} ms: ${error.message}`, { cause: error })
  })
  await expectEachOnce(played)

  await service.revive()
  expect(service.said).toContain('took over the work of killed processes')
  expect(await until(async () => (await findMembers()).includes(service.pid), 60_000)).toBe(true)
  const more = makeSales(`again-${service.pid}`, 4)
  await playSales(shop, more)
  await expectEachOnce(more)
})
