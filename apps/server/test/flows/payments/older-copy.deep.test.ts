import { expect, test, vi } from 'vitest'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perFile } from '../../support/per-file.ts'
import { listUnmatched, look, withRestored } from './restored-copy.ts'

// The balances of fifty thousand addresses in five tokens, of a chain in this machine.
vi.setConfig({ testTimeout: 300_000 })

const world = perFile(startPayments)

test('one payment among fifty thousand attempts of a lost time that nobody paid is found', async () => {
  const copy = await copyDatabase(world.database)
  const { references } = world.needs
  // Attempts that nobody pays leave nothing but numbers that are gone.
  for (let second = 0; second < 200; second++) {
    for (let i = 0; i < 250; i++) references.next(world.clock.now())
    world.clock.jumpTo(world.clock.now() + 1_000)
  }
  await world.passTime(200)
  for (let i = 0; i < 250; i++) references.next(world.clock.now())
  const lost = await world.open('lost', 10, 'USDC')
  const { hash } = await world.pay(lost, 'transfer')
  await world.mine(8)
  await withRestored(world, copy, async (restored) => {
    await look(restored)
    expect(await listUnmatched(world, restored)).toMatchObject([
      { transactionHash: hash, amountRaw: '10000000', reason: 'unknown-deposit' },
    ])
  })
})
