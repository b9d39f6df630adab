import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllSetAside } from '../../../src/platform/jobs/set-aside-store.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { startProxiedPayments } from './watched-payments.ts'

const world = perFile(startProxiedPayments)
beforeEach(() => world.syncClock())

const setAside = () => listAllSetAside(world.needs.db, 100)

/** A database that ends statements of this name which are about a value. */
function failing(name: string, value: () => string | undefined, error: () => unknown): Database {
  return wrapDatabase(world.needs.db, (statement, run) => {
    const about = value()
    const isMeant = statement.name === name && about !== undefined && statement.values?.flat().includes(about)
    if (!isMeant) return run()
    throw error()
  })
}

const tooLong = () => asOutage(Object.assign(new Error('it took too long'), { code: '57014' }))
const unreadable = () => new Error('a row that nothing of ours can read')

async function passHour() {
  await world.passTime(3_600)
  await world.scan()
}

test.each([
  ['whose losses take too long to be marked', 'lose-payments', 'hash', tooLong, 'took_too_long'],
  ['that cannot be locked', 'lock-receipt', 'id', unreadable, 'Error'],
] as const)('a receipt %s stops nobody’s way back from a reorg', async (_, name, by, error, word) => {
  const [broken, sound] = [`broken-${name}`, `sound-${name}`]
  const { hash } = await world.pay(await world.open(broken, 20, 'USDC'), 'transfer')
  await world.pay(await world.open(sound, 20, 'USDC'), 'transfer')
  await world.mineAndScan()
  for (const id of [broken, sound]) expect(await world.status(id)).toBe('paid')

  const about = by === 'id' ? broken : hash
  const db = failing(name, () => about, error)
  await world.chain.reorg(1)
  await world.mine()
  await world.scan({ db })
  expect(await world.payment(sound)).toMatchObject({ state: 'orphaned', received: '0' })
  const aside = { job: 'scan-transfers', item: `receipt ${broken}`, error: word }
  expect(await setAside()).toMatchObject([aside])
  const later = `later-${name}`
  await world.pay(await world.open(later, 20, 'USDC'), 'transfer')
  await world.mine()
  await world.scan({ db })
  expect(await world.status(later)).toBe('paid')

  await passHour()
  expect(await setAside()).toEqual([])
  expect(await world.payment(broken)).toMatchObject({ state: 'orphaned', received: '0' })
})

test('money without a receipt that takes too long to be written waits alone, and is in the inbox once it can be', async () => {
  const { depositAddress } = await world.open('another-token', 20, 'USDC')
  const usdt = world.tokenAddress('USDT')
  const { hash } = await world.transfer(usdt, depositAddress as Hex, 1_000_000n)
  const other = await world.transfer(usdt, depositAddress as Hex, 2_000_000n)
  await world.pay(await world.open('beside', 20, 'USDC'), 'transfer')
  await world.mine()
  await world.scan({ db: failing('insert-unmatched-payment', () => hash, tooLong) })
  expect(await world.status('beside')).toBe('paid')
  expect(await world.cases(other.hash)).toHaveLength(1)
  expect(await world.cases(hash)).toEqual([])
  const item = expect.stringContaining(`payment ${hash}/`)
  expect(await setAside()).toMatchObject([{ item, error: 'took_too_long' }])
  await passHour()
  expect(await world.cases(hash)).toHaveLength(1)
  expect(await setAside()).toEqual([])
})
