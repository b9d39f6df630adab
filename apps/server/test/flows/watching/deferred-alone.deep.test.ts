import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { startProxiedPayments } from './watched-payments.ts'

const context = perFile(startProxiedPayments)
beforeEach(() => context.syncClock())

const defer = () => listAllDeferred(context.needs.db, 100)

/** Returns a database on which the named statements fail if their values include `value`. */
function failing(name: string, value: () => string | undefined, error: () => unknown): Database {
  return wrapDatabase(context.needs.db, (statement, run) => {
    const about = value()
    const isMeant = statement.name === name && about !== undefined && statement.values?.flat().includes(about)
    if (!isMeant) return run()
    throw error()
  })
}

const tooLong = () => asOutage(Object.assign(new Error('it took too long'), { code: '57014' }))
const unreadable = () => new Error('a row that nothing of ours can read')

async function passHour() {
  await context.passTime(3_600)
  await context.scan()
}

test.each([
  ['whose losses take too long to be marked', 'lose-payments', 'hash', tooLong, 'took_too_long'],
  ['that cannot be locked', 'lock-receipt', 'id', unreadable, 'Error'],
] as const)('a receipt %s stops nobody’s way back from a reorg', async (_, name, by, error, word) => {
  const [broken, sound] = [`broken-${name}`, `sound-${name}`]
  const { hash } = await context.pay(await context.open(broken, 20, 'USDC'), 'transfer')
  await context.pay(await context.open(sound, 20, 'USDC'), 'transfer')
  await context.mineAndScan()
  for (const id of [broken, sound]) expect(await context.status(id)).toBe('paid')

  const about = by === 'id' ? broken : hash
  const db = failing(name, () => about, error)
  await context.chain.reorg(1)
  await context.mine()
  await context.scan({ db })
  expect(await context.payment(sound)).toMatchObject({ state: 'orphaned', received: '0' })
  const deferred = { job: 'scan-transfers', item: `receipt ${broken}`, kind: word }
  expect(await defer()).toMatchObject([deferred])
  const later = `later-${name}`
  await context.pay(await context.open(later, 20, 'USDC'), 'transfer')
  await context.mine()
  await context.scan({ db })
  expect(await context.status(later)).toBe('paid')

  await passHour()
  expect(await defer()).toEqual([])
  expect(await context.payment(broken)).toMatchObject({ state: 'orphaned', received: '0' })
})

test('money without a receipt that takes too long to be written waits alone, and is in the inbox once it can be', async () => {
  const { depositAddress } = await context.open('another-token', 20, 'USDC')
  const usdt = context.tokenAddress('USDT')
  const { hash } = await context.transfer(usdt, depositAddress as Hex, 1_000_000n)
  const other = await context.transfer(usdt, depositAddress as Hex, 2_000_000n)
  await context.pay(await context.open('beside', 20, 'USDC'), 'transfer')
  await context.mine()
  await context.scan({ db: failing('insert-unmatched-payment', () => hash, tooLong) })
  expect(await context.status('beside')).toBe('paid')
  expect(await context.cases(other.hash)).toHaveLength(1)
  expect(await context.cases(hash)).toEqual([])
  const item = expect.stringContaining(`payment ${hash}/`)
  expect(await defer()).toMatchObject([{ item, kind: 'took_too_long' }])
  await passHour()
  expect(await context.cases(hash)).toHaveLength(1)
  expect(await defer()).toEqual([])
})
