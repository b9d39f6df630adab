import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { create2Address, create2Deployment } from '@sluice/contracts/tools/create2.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { noteFactory } from '../../../src/chain/factory-store.ts'
import { settleTransactionsJob } from '../../../src/chain/transactions/nonce-lane.ts'
import { openSender } from '../../../src/chain/transactions/transaction.ts'
import { actAsStagehand } from '../../../src/local/deploy-contracts.ts'
import { compareChainJob } from '../../../src/payments/comparison/compare-chain.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { reconcileReceiptsJob } from '../../../src/payments/reconciliation/reconcile-receipts.ts'
import { sweepDepositsJob } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { distributeSplitsJob } from '../../../src/split/distributing/distribute-due.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { type HidingEndpoint, makeHidingEndpoint } from '../../support/chain/hide-logs.ts'
import { readRecordedFactory } from '../../support/database/recorded-release.ts'
import {
  always,
  type PaymentWorld,
  runToRest,
  startPaymentWorld,
} from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
let endpoint: HidingEndpoint
afterEach(() => {
  endpoint.far.isFar = false
  return world?.stop()
})

const [earlier] = releases.earlier
const firstFactory = parseWallet(earlier?.factory.address)

/** A deployment of release 0.1.0: its factory, its contracts, and rows that do not say which factory made them. */
async function startAsFirstRelease() {
  endpoint = makeHidingEndpoint()
  world = await startPaymentWorld({
    policy: always('seen'),
    outbound: endpoint.outbound,
    async factory({ client }) {
      const initCode = readRecordedFactory('0.1.0')
      expect(create2Address(initCode)).toBe(firstFactory)
      await actAsStagehand(client, [create2Deployment(initCode)])
      if (!firstFactory) throw new Error('0.1.0 had a factory')
      return firstFactory
    },
  })
}

/** What of rows the migrations from 0.1.0 leave open, and what this release has done once it runs over them. */
async function upgrade() {
  const merchant = [world.merchant.wallet]
  const { needs, chain } = world
  await needs.db.run(
    { name: 'test-forget-attempts', text: 'UPDATE attempt SET factory = NULL WHERE merchant = $1' },
    merchant,
  )
  await needs.db.run(
    { name: 'test-forget-splits', text: 'UPDATE split SET factory = NULL WHERE merchant = $1' },
    merchant,
  )
  const moved = { ...needs, chain: { ...needs.chain, factory: chain.contracts.factory } }
  await noteFactory(moved.db, moved.chain, moved.clock.now())
  endpoint.far.isFar = true
  return moved
}

const signal = new AbortController().signal

test.each([
  'USDC',
  'ETH',
] as const)('an attempt of release 0.1.0 is paid in %s, swept, distributed and reconciled under this release, and nothing differs', async (token) => {
  await startAsFirstRelease()
  await world.newReceipt('earlier', 20)
  const attempt = await world.attempt('earlier', token)
  const moved = await upgrade()

  await world.pay(attempt, 'transfer')
  await world.mine()
  await world.scan(moved)
  expect(await world.status('earlier')).toBe('paid')

  const sender = openSender(world.chain.accounts[2]?.privateKey as Hex)
  const settling = settleTransactionsJob(moved, [sender], 'keeper')
  const sweeping = sweepDepositsJob(moved, sender, 'keeper')
  const distributing = distributeSplitsJob(moved, { sender, holder: 'keeper' })
  for (let round = 0; round < 8 && (await world.status('earlier')) !== 'reconciled'; round++) {
    await sweeping.run(signal)
    await distributing.run(signal)
    await world.mine(6)
    await world.syncClock()
    await world.scan(moved)
    await settling.run(signal)
    await runToRest(scanDistributionsJob(moved))
    await reconcileReceiptsJob(moved).run(signal)
  }
  expect(await world.status('earlier')).toBe('reconciled')
  await runToRest(compareChainJob(moved))
  expect((await auditChain(moved.db, world.chain)).differences).toEqual([])
  expect(world.logged.filter(({ alert }) => alert !== undefined)).toEqual([])
})
