import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { assert } from '../../../src/kernel/assert.ts'
import { sweepOrder } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { distributeOrder } from '../../../src/split/distributing/distribute-call.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { settlingWork } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(() =>
  startPayments({ policy: always('seen'), slotsInAnEpoch: 1, keeperKey: undefined }),
)

const sweptBy = async (id: string) =>
  (
    await context.rows<{ swept_tx: string | null }>('SELECT swept_tx FROM payment WHERE receipt_id = $1', [
      id,
    ])
  ).map(({ swept_tx }) => swept_tx)

async function settle(): Promise<void> {
  await context.passTime(3_600)
  await context.scan()
  await context.api.run(...settlingWork.filter((name) => name !== jobNames.distributeSplits))
}

test('without a keeper a deposit is listed as waiting, and what a stranger sweeps and distributes is noted', async () => {
  const attempt = await context.open('own-sweep', 10, 'USDC')
  await context.payAndScan(attempt, 'transfer')
  await settle()
  expect(await context.status('own-sweep')).toBe('paid')
  const deposit = { receipt_id: 'own-sweep', amount: attempt.amount }
  expect(await context.rows('SELECT receipt_id, amount::text FROM sweep_waiting')).toEqual([deposit])
  expect(await sweptBy('own-sweep')).toEqual([null])

  const token = context.tokenAddress('USDC')
  const split = parseWallet(attempt.payTo)
  assert(split, 'an attempt is paid to a split')
  const sweep = sweepOrder(context.needs.chain.factory, [
    { split, reference: attempt.reference as Hex, token },
  ])
  const { hash } = await context.send({ to: sweep.to, data: sweep.data })
  await context.mine()
  const distribution = distributeOrder(split, token)
  await context.send({ to: distribution.to, data: distribution.data })
  await context.mine()
  await settle()
  await settle()
  expect(await sweptBy('own-sweep')).toEqual([hash])
  expect(await context.rows('SELECT receipt_id FROM sweep_waiting')).toEqual([])
  expect(await context.status('own-sweep')).toBe('reconciled')
})
