import { splitFactoryBytecode } from '@sluice/contracts/abi/SplitFactory.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { recordFactory } from '../../../src/chain/factory-store.ts'
import type { ScanNeeds } from '../../../src/payments/cursors/scan-needs.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { always } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const far = farChain()
const context = perFile(() => startPayments({ policy: always('seen'), outbound: far.over }))
const moved: ScanNeeds = perFile(async () => {
  const { needs, chain: node } = context
  await recordFactory(needs.db, needs.chain, needs.clock.now())
  const [account] = node.accounts
  if (!account) throw new Error('there are accounts')
  await node.client.impersonateAccount({ address: account.address })
  const hash = await node.client.sendUnsignedTransaction({
    from: account.address,
    data: splitFactoryBytecode as Hex,
    gas: 6_000_000n,
  })
  await context.mine()
  const { contractAddress } = await node.client.getTransactionReceipt({ hash })
  const next = parseWallet(contractAddress ?? undefined) as Wallet
  expect(next, 'the other factory stands elsewhere').not.toBe(needs.chain.factory)
  const chain = { ...needs.chain, factory: next }
  await recordFactory(needs.db, chain, needs.clock.now())
  far.isFar = true
  return { ...needs, chain }
})
beforeEach(() => context.syncClock())

async function keep(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await runToRest(context.job(jobNames.sweepDeposits, moved))
    await context.mine(6)
    for (const name of [jobNames.settleTransactions, jobNames.scanDistributions])
      await runToRest(context.job(name, moved))
  }
}

const listArrivals = (id: string) =>
  context.rows(
    `SELECT a.kind, p.swept_tx IS NOT NULL AND p.swept_tx <> 'none' AS swept FROM split_arrival a
      JOIN payment p ON p.merchant = a.merchant AND p.receipt_id = a.receipt_id
      WHERE a.merchant = $1 AND a.receipt_id = $2`,
    [context.merchant.wallet, id],
  )

test.each([
  'USDC',
  'ETH',
] as const)('%s at a deposit address of the factory before is credited, swept and booked', async (token) => {
  const id = `moved-${token}`
  const attempt = await context.open(id, 20, token)
  await context.pay(attempt, 'transfer')
  await context.mine()
  await context.scan(moved)
  expect((await context.payment(id)).state).toBe('paid')
  await keep()
  await context.scan(moved)
  await keep()
  expect(await context.balanceOf(context.tokenAddress(token), attempt.depositAddress)).toBe(0n)
  expect(await listArrivals(id)).toEqual([{ kind: 'sweep', swept: true }])
  expect(context.alerts()).toEqual([])
})
