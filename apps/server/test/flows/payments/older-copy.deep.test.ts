import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test, vi } from 'vitest'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perFile } from '../../support/per-file.ts'
import { listUnmatched, look, withRestored } from './restored-copy.ts'

vi.setConfig({ testTimeout: 600_000 })

const context = perFile(startPayments)

test('after fifty thousand unpaid attempts of a lost time, new attempts get other addresses, and a late payment to a lost one is unmatched', async () => {
  const copy = await copyDatabase(context.database)
  const { references } = context.needs
  const numbers: bigint[] = []
  for (let second = 0; second < 200; second++) {
    for (let i = 0; i < 250; i++) numbers.push(references.next(context.clock.now()))
    context.clock.jumpTo(context.clock.now() + 1_000)
  }
  await context.passTime(200)
  for (let i = 0; i < 250; i++) numbers.push(references.next(context.clock.now()))
  const lost = await context.open('lost', 10, 'USDC')
  const split = lost.payTo as Wallet
  const used = new Set<string>([...numbers.map((number) => references.at(split, number)), lost.reference])
  await withRestored(context, copy, async (restored) => {
    await look(restored)
    expect(await listUnmatched(context, restored)).toEqual([])
    const { key, wallet } = context.merchant
    const opened: AttemptView[] = []
    for (let i = 0; i < 20; i++) {
      const body = { id: `new-${i}`, lineItems: [{ label: 'Thing', amount: 10 }] }
      await restored.call('POST', '/api/receipts', { key, body })
      const path = `/api/checkout/new-${i}/attempts?recipient=${wallet}`
      opened.push((await restored.call('POST', path, { body: { token: 'USDC' } })).body)
    }
    const [first] = opened as [AttemptView]
    for (const { payTo, reference } of opened) {
      expect(payTo).toBe(split)
      expect(used.has(reference)).toBe(false)
    }

    const late = await context.pay(lost, 'transfer')
    const own = await context.pay(first, 'transfer')
    await context.passTime(3_600)
    await look(restored)
    expect(await listUnmatched(context, restored)).toMatchObject([
      { transactionHash: late.hash, amountRaw: '10000000', reason: 'unknown-deposit', state: 'open' },
    ])
    const statuses = []
    for (let i = 0; i < 20; i++) {
      const { body } = await restored.call('GET', `/api/receipts/new-${i}`, { key })
      statuses.push([body.status, body.transactionHash])
    }
    expect(statuses).toEqual([['paid', own.hash], ...Array.from({ length: 19 }, () => ['pending', null])])
  })
})
