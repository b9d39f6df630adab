import { settleTransactionsJob } from '../../../src/chain/transactions/nonce-lane.ts'
import { openSender } from '../../../src/chain/transactions/transaction.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { reconcileReceiptsJob } from '../../../src/payments/reconciliation/reconcile-receipts.ts'
import { sweepDepositsJob } from '../../../src/payments/sweeping/sweep-deposits.ts'
import { distributeSplitsJob } from '../../../src/split/distributing/distribute-due.ts'
import { type PaymentWorld, runToRest } from '../worlds/payment-world.ts'

/** Runs the keeper's jobs, block by block, until a paid receipt is reconciled. */
export async function keepUntilReconciled(world: PaymentWorld, id: string): Promise<void> {
  const keeper = world.chain.accounts[2]
  if (!keeper) throw new Error('there are five accounts')
  const sender = openSender(keeper.privateKey)
  const { needs } = world
  const jobs = [
    settleTransactionsJob(needs, [sender], 'test'),
    sweepDepositsJob(needs, sender, 'test'),
    scanDistributionsJob(needs),
    distributeSplitsJob(needs, { sender, holder: 'test' }),
    reconcileReceiptsJob(needs),
  ]
  for (let block = 0; block < 20 && (await world.status(id)) !== 'reconciled'; block++) {
    await world.mine()
    world.api.clock.jumpTo(world.api.clock.now() + 60_000)
    await world.scan()
    for (const job of jobs) await runToRest(job)
  }
}

/** Books what the chain tells of the split, as the watcher does. */
export async function bookDistributions({ needs }: PaymentWorld): Promise<void> {
  await runToRest(scanDistributionsJob(needs))
}
