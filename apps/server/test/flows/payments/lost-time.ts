import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { logInAs } from '../../support/api/sessions.ts'
import type { TestApi, TestMerchant } from '../../support/api/start-api.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { keeperWork } from '../../support/chain/keeper.ts'
import type { PaymentContext, PayWay } from '../../support/chain/payments.ts'
import { addressOf } from './lost-service.ts'
import { listUnmatched, look } from './restored-copy.ts'

const tokens = ['USDC', 'ETH', 'cbBTC'] as const
type PaidToken = (typeof tokens)[number]
type Sale = { readonly usd: number; readonly token: PaidToken; readonly way: PayWay }

/** Sales of the lost time. Each amount occurs once, so that a payment fits one receipt. */
const lostSales = {
  'by-token': { usd: 10, token: 'USDC', way: 'transfer' },
  'by-coin': { usd: 25, token: 'ETH', way: 'transfer' },
  'by-call': { usd: 15, token: 'cbBTC', way: 'call' },
  swept: { usd: 20, token: 'USDC', way: 'transfer' },
  /** Paid only after the service has handed out new addresses. */
  late: { usd: 30, token: 'USDC', way: 'transfer' },
} as const satisfies Record<string, Sale>

type LostId = keyof typeof lostSales
const lostIds = Object.keys(lostSales) as LostId[]

/** Units that the buyer adds to the swept address, for which nobody asked. */
const surplus = 4_000_000n

type Case = Pick<UnmatchedPayment, 'transactionHash' | 'token' | 'amountRaw' | 'payer' | 'reason'>

/** What a service has sold when its database goes back to an earlier moment. */
export type LostTime = {
  readonly addresses: readonly string[]
  readonly late: AttemptView
  /** Expected unmatched payments, each with the time of its block. */
  readonly cases: readonly (Case & { readonly timestamp: number })[]
  readonly paid: Readonly<Record<PaidToken, bigint>>
}

/** Sells what the backup contains: a receipt that is paid out, and one that the buyer pays later. */
export async function sellBeforeLoss(context: PaymentContext): Promise<AttemptView[]> {
  const settled = await context.open('settled', 5, 'USDC')
  await context.pay(settled, 'transfer')
  await driveToReconciled(context, context.api, 'settled')
  return [settled, await context.open('waiting', 7, 'USDC')]
}

/** Sells and pays in all ways, after the last moment that the backup contains. */
export async function sellInLostTime(
  context: PaymentContext,
  before: readonly AttemptView[],
): Promise<LostTime> {
  await context.passTime(1)
  const attempts = {} as Record<LostId, AttemptView>
  for (const id of lostIds) attempts[id] = await context.open(id, lostSales[id].usd, lostSales[id].token)
  await context.pay(attempts.swept, 'transfer')
  await driveToReconciled(context, context.api, 'swept')
  const sweep = await findSweep(context, attempts.swept)
  const sent: Partial<Record<LostId, Hex>> = {}
  for (const id of ['by-token', 'by-coin', 'by-call'] as const)
    sent[id] = (await context.pay(attempts[id], lostSales[id].way)).hash
  const [, waiting] = before
  if (waiting) await context.pay(waiting, 'transfer')
  const more = await context.transfer(
    context.tokenAddress('USDC'),
    attempts.swept.depositAddress as Hex,
    surplus,
  )
  await context.mineAndScan(8)

  const payer = context.buyer.address
  const expected = async (id: LostId, hash: Hex | undefined, each: Partial<Case> = {}) => {
    const { blockNumber } = await context.chain.client.getTransactionReceipt({ hash: hash ?? '0x' })
    const { timestamp } = await context.chain.client.getBlock({ blockNumber })
    const { token, remaining: amountRaw } = attempts[id]
    const known = { transactionHash: hash ?? null, token, amountRaw, payer, reason: 'unknown-deposit' }
    return { ...known, timestamp: Number(timestamp) * 1_000, ...each }
  }
  const paid = { USDC: surplus, ETH: 0n, cbBTC: 0n }
  for (const { token, remaining } of [...before, ...Object.values(attempts)])
    paid[token as PaidToken] += BigInt(remaining)
  return {
    addresses: [...before, ...Object.values(attempts)].map(({ depositAddress }) => depositAddress),
    late: attempts.late,
    cases: [
      await expected('by-token', sent['by-token']),
      await expected('by-coin', sent['by-coin'], { transactionHash: null, payer: null }),
      await expected('by-call', sent['by-call'], { reason: 'unknown-reference' }),
      await expected('swept', sweep, { payer: null }),
      await expected('swept', more.hash, { amountRaw: surplus.toString() }),
    ],
    paid,
  }
}

/**
 * Expects that a service on the older database turns all lost payments into unmatched payments, that each is
 * applied to its receipt with one request once that receipt exists again, and that a lost address pays no
 * other receipt. At the end, each base unit on the chain is in a receipt or a case.
 */
export async function expectRecovered(
  context: PaymentContext,
  restored: TestApi,
  lost: LostTime,
): Promise<void> {
  const { key } = context.merchant
  await look(restored)
  // The watcher reads each address's balance once a minute.
  await context.passTime(61)
  await look(restored)
  const found = await listUnmatched(context, restored)
  const views = found.map(({ transactionHash, token, amountRaw, payer, reason, timestamp }) => {
    // Native coin is found by its balance, some blocks later.
    return { transactionHash, token, amountRaw, payer, reason, timestamp: token === 'ETH' ? 0 : timestamp }
  })
  const cases = lost.cases.map((each) => ({ ...each, timestamp: each.token === 'ETH' ? 0 : each.timestamp }))
  expect(views).toHaveLength(cases.length)
  expect(views).toEqual(expect.arrayContaining(cases))
  for (const { receiptId } of found) expect(receiptId).toBeNull()

  const fresh: string[] = []
  for (const id of lostIds) fresh.push((await openAgain(restored, context.merchant, id)).depositAddress)
  const addresses = [...lost.addresses, ...fresh]
  expect(new Set(addresses).size).toBe(addresses.length)
  await context.pay(lost.late, 'transfer')
  await context.passTime(3_600)
  await look(restored)
  await restored.run(jobNames.refreshRates)

  const session = await logInAs(restored, context.merchant.wallet, 'owner')
  const statusOf = async (id: string) =>
    (await restored.call('GET', `/api/receipts/${id}`, { key })).body.status
  const proposed = new Set<string>()
  for (const { id, state, suggestedReceiptId: receiptId } of await listUnmatched(context, restored)) {
    if (receiptId === null) continue
    expect([state, await statusOf(receiptId)]).toEqual(['open', 'pending'])
    const body = { action: 'apply', receiptId }
    const applied = await restored.call('POST', `/api/payments/unmatched/${id}`, { session, body })
    expect([receiptId, applied.status]).toEqual([receiptId, 200])
    proposed.add(receiptId)
  }
  expect(proposed).toEqual(new Set(lostIds))
  for (const id of ['settled', 'waiting', ...lostIds]) await driveToReconciled(context, restored, id)
  await expectEveryUnit(context, restored, { ...lost, addresses })
}

/** Creates one of the lost receipts again, and opens an attempt. */
export async function openAgain(
  { call }: Pick<TestApi, 'call'>,
  { key, wallet }: TestMerchant,
  id: LostId,
): Promise<AttemptView> {
  const { usd, token } = lostSales[id]
  const body = { id, lineItems: [{ label: 'Thing', priceUsd: usd }], totalUsd: usd }
  expect((await call('POST', '/api/receipts', { key, body })).status).toBe(201)
  const path = `/api/checkout/${id}/attempts?recipient=${wallet}`
  const opened = await call('POST', path, { body: { token } })
  expect(opened.status).toBe(201)
  return opened.body
}

export async function driveToReconciled(
  context: PaymentContext,
  api: TestApi,
  id: string,
  key = context.merchant.key,
): Promise<void> {
  for (let block = 0; block < 20; block++) {
    if ((await api.call('GET', `/api/receipts/${id}`, { key })).body.status === 'reconciled') return
    await api.run(...keeperWork)
    await context.passTime(api === context.api ? 0 : 1, 4)
  }
  throw new Error(`${id} was not reconciled`)
}

async function findSweep(context: PaymentContext, { reference }: AttemptView): Promise<Hex | undefined> {
  const text = `SELECT tx_hash AS hash FROM split_arrival WHERE kind = 'sweep' AND reference = '${reference}'`
  return (await context.rows<{ hash: Hex }>(text))[0]?.hash
}

/** Compares the buyer's payments with the chain's balances, and both with receipts and cases. */
async function expectEveryUnit(context: PaymentContext, restored: TestApi, lost: LostTime): Promise<void> {
  const { merchant, platform, node } = context
  const split = await findCurrentSplit(restored.needs.db, merchant.wallet)
  const owners = [merchant.wallet, platform.recipient, split?.address ?? '', ...lost.addresses]
  const { differences, lines } = await auditChain(restored.database.pool, node)
  expect(differences).toEqual([])
  for (const token of tokens) {
    const address = addressOf(context, token)
    let onChain = 0n
    for (const owner of owners) onChain += await context.balanceOf(address, owner)
    const own = lines.filter((line) => line.token === address)
    const sumOf = (name: 'credited' | 'unmatched') => own.reduce((sum, line) => sum + line[name], 0n)
    const unmatched = token === 'USDC' ? surplus : 0n
    expect([token, onChain, sumOf('credited'), sumOf('unmatched')]).toEqual([
      token,
      lost.paid[token],
      lost.paid[token] - unmatched,
      unmatched,
    ])
  }
}
