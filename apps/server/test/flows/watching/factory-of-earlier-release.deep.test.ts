import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { create2Address, create2Deployment } from '@sluice/contracts/tools/create2.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { recordFactory } from '../../../src/chain/factory-store.ts'
import { actAsDeployer } from '../../../src/local/deploy-contracts.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type JobChanges, type JobName, runToRest } from '../../support/api/start-api.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { readEarlierFactory } from '../../support/database/recorded-release.ts'
import { perCase } from '../../support/per-file.ts'
import { startHidingPayments } from './watched-payments.ts'

const [earlier] = releases.earlier
const firstFactory = parseWallet(earlier?.factory.address)

/** A deployment of an earlier release, with its factory and contracts. */
const world = perCase(() =>
  startHidingPayments({
    async factory({ client }) {
      const initCode = readEarlierFactory()
      expect(create2Address(initCode)).toBe(firstFactory)
      await actAsDeployer(client, [create2Deployment(initCode)])
      if (!firstFactory) throw new Error('0.1.0 had a factory')
      return firstFactory
    },
  }),
)

/** This release runs over the rows of that one. */
async function upgrade() {
  const { needs, chain } = world
  const moved = { chain: { ...needs.chain, factory: chain.contracts.factory } }
  await recordFactory(needs.db, moved.chain, needs.clock.now())
  world.endpoint.far.isFar = true
  return moved
}

/** The jobs as this release has them. */
async function keep(moved: JobChanges, ...names: readonly JobName[]): Promise<void> {
  for (const name of names) await runToRest(world.job(name, moved))
}

test.each([
  'USDC',
  'ETH',
] as const)('an attempt of an earlier release is paid in %s, swept, distributed and reconciled under this release, and nothing differs', async (token) => {
  const attempt = await world.open('earlier', 20, token)
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
  expect(world.alerts()).toEqual([])
})
