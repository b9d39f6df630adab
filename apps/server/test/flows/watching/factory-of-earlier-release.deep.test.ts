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

const context = perCase(() =>
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

async function upgrade() {
  const { needs, chain } = context
  const moved = { chain: { ...needs.chain, factory: chain.contracts.factory } }
  await recordFactory(needs.db, moved.chain, needs.clock.now())
  context.endpoint.far.isFar = true
  return moved
}

async function keep(moved: JobChanges, ...names: readonly JobName[]): Promise<void> {
  for (const name of names) await runToRest(context.job(name, moved))
}

test.each([
  'USDC',
  'ETH',
] as const)('an attempt of an earlier release is paid in %s, swept, distributed and reconciled under this release, and nothing differs', async (token) => {
  const attempt = await context.open('earlier', 20, token)
  const moved = await upgrade()

  await context.pay(attempt, 'transfer')
  await context.mine()
  await context.scan(moved)
  expect(await context.status('earlier')).toBe('paid')

  for (let round = 0; round < 8 && (await context.status('earlier')) !== 'reconciled'; round++) {
    await keep(moved, jobNames.sweepDeposits, jobNames.distributeSplits)
    await context.mine(6)
    await context.syncClock()
    await keep(moved, jobNames.scanTransfers, jobNames.settleTransactions)
    await keep(moved, jobNames.scanDistributions, jobNames.reconcileReceipts)
  }
  expect(await context.status('earlier')).toBe('reconciled')
  await keep(moved, jobNames.compareChain)
  expect((await auditChain(context.needs.db, context.chain)).differences).toEqual([])
  expect(context.alerts()).toEqual([])
})
