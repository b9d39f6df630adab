import { expect, test, vi } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { isFrozen } from '../../support/kill/parts.ts'
import { playSales, type Sale, waitForEnd } from '../../support/kill/sale.ts'
import { spawnBeside, spawnSeeded } from '../../support/kill/seeded.ts'
import { openShop } from '../../support/kill/shop.ts'
import { perFile } from '../../support/per-file.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'

const limitMs = 300_000
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs })

const first = perFile(() => spawnSeeded({ isFar: true, isShort: true }))
const killAt = 'before-commit:move-chain-cursor'
const second = perFile(() =>
  spawnBeside(first, { settings: { KILL_SIGNAL: 'SIGSTOP' }, killAt, isFar: true, isShort: true }),
)
const shop = perFile(() => openShop(first.local, [first.local.baseUrl]))

test('a replica that stands still in the middle of a transaction does not keep the other from its work', async () => {
  const sale = (n: number): Sale => ({ id: `frozen-${n}`, token: 'USDC', way: 'call', usd: 10 })
  const played: Sale[] = []
  let playing: Promise<unknown> = Promise.resolve()
  // The first replica to read a block performs the step, so the second replica soon freezes during a step.
  while (!isFrozen(second.pid)) {
    const next = sale(played.length)
    played.push(next)
    playing = playSales(shop, [next])
    await Promise.race([playing, until(() => isFrozen(second.pid), limitMs)])
  }
  const ownMs = measureOwnMs(['self', first.pid])
  const stood = await findCursor()
  expect(await until(async () => (await findCursor()) > stood, limitMs)).toBe(true)
  const delayMs = ownMs()
  // The buyer approves the split for one amount at a time.
  await playing
  const last = sale(played.length)
  await playSales(shop, [last])
  played.push(last)
  console.log(`the chain is read on ${Math.round(delayMs)} ms after the other froze`)
  expect(delayMs).toBeLessThan(10_000)
  expect(isFrozen(second.pid)).toBe(true)

  second.signal('SIGCONT')
  expect(await until(() => !isFrozen(second.pid), 60_000)).toBe(true)
  const ids = played.map(({ id }) => id)
  await waitForEnd(shop, ids)
  expect(await findBroken(shop.db, shop.local.rpcUrl)).toEqual([])
})

/** Returns the last scanned block. The frozen replica holds a lock on its row. */
async function findCursor(): Promise<bigint> {
  const text = `SELECT number FROM chain_cursor WHERE name = 'transfers'`
  const row = await shop.db.row<{ number: bigint }>({ name: 'test-find-cursor', text })
  return row?.number ?? 0n
}
