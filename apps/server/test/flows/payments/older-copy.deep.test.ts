import { expect, test, vi } from 'vitest'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perFile } from '../../support/per-file.ts'
import { listUnmatched, look, withRestored } from './restored-copy.ts'

vi.setConfig({ testTimeout: 300_000 })

const context = perFile(startPayments)

test('one payment among fifty thousand attempts of a lost time that nobody paid is found', async () => {
  const copy = await copyDatabase(context.database)
  const { references } = context.needs
  for (let second = 0; second < 200; second++) {
    for (let i = 0; i < 250; i++) references.next(context.clock.now())
    context.clock.jumpTo(context.clock.now() + 1_000)
  }
  await context.passTime(200)
  for (let i = 0; i < 250; i++) references.next(context.clock.now())
  const lost = await context.open('lost', 10, 'USDC')
  const { hash } = await context.pay(lost, 'transfer')
  await context.mine(8)
  await withRestored(context, copy, async (restored) => {
    await look(restored)
    expect(await listUnmatched(context, restored)).toMatchObject([
      { transactionHash: hash, amountRaw: '10000000', reason: 'unknown-deposit' },
    ])
  })
})
