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

const world = perFile(() =>
  startPayments({ policy: always('seen'), slotsInAnEpoch: 1, keeperKey: undefined }),
)

const sweptBy = async (id: string) =>
  (
    await world.rows<{ swept_tx: string | null }>('SELECT swept_tx FROM payment WHERE receipt_id = $1', [id])
  ).map(({ swept_tx }) => swept_tx)

/** Everything that the service does by itself, until it has nothing more to do. */
async function settle(): Promise<void> {
  await world.passTime(3_600)
  await world.scan()
  await world.api.run(...settlingWork.filter((name) => name !== jobNames.distributeSplits))
}

test('without a keeper a deposit is listed as waiting, and what a stranger sweeps and distributes is noted', async () => {
  const attempt = await world.open('own-sweep', 10, 'USDC')
  await world.payAndScan(attempt, 'transfer')
  await settle()
  expect(await world.status('own-sweep')).toBe('paid')
  const deposit = { receipt_id: 'own-sweep', amount: attempt.amount }
  expect(await world.rows('SELECT receipt_id, amount::text FROM sweep_waiting')).toEqual([deposit])
  expect(await sweptBy('own-sweep')).toEqual([null])

  const token = world.tokenAddress('USDC')
  const split = parseWallet(attempt.payTo)
  assert(split, 'an attempt is paid to a split')
  const sweep = sweepOrder(world.needs.chain.factory, [{ split, reference: attempt.reference as Hex, token }])
  const { hash } = await world.send({ to: sweep.to, data: sweep.data })
  await world.mine()
  const distribution = distributeOrder(split, token)
  await world.send({ to: distribution.to, data: distribution.data })
  await world.mine()
  await settle()
  await settle()
  expect(await sweptBy('own-sweep')).toEqual([hash])
  expect(await world.rows('SELECT receipt_id FROM sweep_waiting')).toEqual([])
  expect(await world.status('own-sweep')).toBe('reconciled')
})
