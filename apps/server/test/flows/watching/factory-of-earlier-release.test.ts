import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { create2Address, create2Deployment } from '@sluice/contracts/tools/create2.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { afterEach, expect, test } from 'vitest'
import { recordFactory } from '../../../src/chain/factory-store.ts'
import { actAsDeployer } from '../../../src/local/deploy-contracts.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { type HidingEndpoint, makeHidingEndpoint } from '../../support/chain/hide-logs.ts'
import { readRecordedFactory } from '../../support/database/recorded-release.ts'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'
import { runToRest } from '../../support/worlds/run-to-rest.ts'
import type { JobChanges, JobName } from '../../support/worlds/start-api.ts'

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
      await actAsDeployer(client, [create2Deployment(initCode)])
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
  const moved = { chain: { ...needs.chain, factory: chain.contracts.factory } }
  await recordFactory(needs.db, moved.chain, needs.clock.now())
  endpoint.far.isFar = true
  return moved
}

/** The jobs as this release has them. */
async function keep(moved: JobChanges, ...names: readonly JobName[]): Promise<void> {
  for (const name of names) await runToRest(world.job(name, moved))
}

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

  for (let round = 0; round < 8 && (await world.status('earlier')) !== 'reconciled'; round++) {
    await keep(moved, jobNames.sweepDeposits, jobNames.distributeSplits)
    await world.mine(6)
    await world.syncClock()
    await keep(moved, jobNames.scanTransfers, jobNames.settleTransactions)
    await keep(moved, jobNames.scanDistributions, jobNames.reconcileReceipts)
  }
  expect(await world.status('earlier')).toBe('reconciled')
  await keep(moved, jobNames.compareChain)
  expect((await auditChain(world.needs.db, world.chain)).differences).toEqual([])
  expect(world.logged.filter(({ alert }) => alert !== undefined)).toEqual([])
})
