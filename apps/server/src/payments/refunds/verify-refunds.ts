import { type Cents, type RateE8, type TokenUnits, tokenUnitsFor } from '@sluice/protocol/money.ts'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt, size, slice } from 'viem'
import type { BlockTransaction, ChainLog, TransactionReceipt } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { findRate, RateUnavailable } from '../../pricing/rates/find-rate.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { markRefund } from '../../receipts/refunds/complete-refunds.ts'
import type { Refund } from '../../receipts/refunds/refund.ts'
import {
  type DueRefund,
  dropRefund,
  findRefund,
  holdRefund,
  listDueRefunds,
  postponeRefund,
} from '../../receipts/refunds/store.ts'
import { findReceipt } from '../../receipts/store.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { isLive } from '../ledger/payment.ts'
import { listPayments } from '../ledger/store.ts'
import { settleUnmatchedRefund } from '../ledger/unmatched-store.ts'

const batchSize = 50
const shortestPauseMs = 1_000
const longestPauseMs = 3_600_000

const missingAfterMs = 3_600_000
const giveUpAfterMs = 7 * 86_400_000

/**
 * Returns the job that checks refund transactions until each is in a final block.
 *
 * A transaction that pays the buyer the logged amount is `recipient_validated`, any other `tx_mismatch`.
 */
export function verifyRefundsJob(needs: ScanNeeds): Job {
  const { db, chain, clock } = needs
  return {
    name: jobNames.verifyRefunds,
    everyMs: isLocalNetwork(chain.id) ? 1_000 : 5_000,
    async run() {
      const now = clock.now()
      const due = await listDueRefunds(db, now, batchSize)
      await walkItems(needs, due, {
        job: jobNames.verifyRefunds,
        nameOf: ({ merchant, refundId }) => ({ merchant, item: `refund ${refundId}` }),
        work: (each) => verifyRefund(needs, each),
        later: (each, at) => postponeRefund(db, each, at),
      })
      return due.length === batchSize ? 'again' : 'done'
    },
  }
}

async function verifyRefund(needs: ScanNeeds, due: DueRefund): Promise<void> {
  const { db, clock, log } = needs
  const refund = await findRefund(db, due.merchant, due.refundId)
  if (!refund?.txHash) return dropRefund(db, due)
  let verdict: Verdict
  try {
    verdict = await evaluate(needs, refund)
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof RateUnavailable)) throw error
    log.debug({ err: error, refundId: refund.id }, 'the chain or a rate is unavailable; the refund waits')
    return postponeRefund(db, due, nextLook(clock.now(), refund.madeAt))
  }
  const { isNew } = await db.transaction(async (tx) => {
    if (!(await holdRefund(tx, due))) return { isNew: false }
    const marked = await markRefund({ ...needs, tx }, refund, verdict)
    if (verdict.isOver) await dropRefund(tx, due)
    else await postponeRefund(tx, due, nextLook(clock.now(), refund.madeAt))
    if (verdict.isOver && refund.unmatchedId)
      await settleUnmatchedRefund(tx, refund, verdict.mark === 'recipient_validated')
    return marked
  })
  if (isNew) await notifyJob(needs, jobNames.deliverWebhooks)
}

type Verdict = Pick<Refund, 'mark' | 'error'> & { readonly isOver: boolean }

async function evaluate(needs: ScanNeeds, refund: Refund): Promise<Verdict> {
  const { chain } = needs
  const found = refund.txHash && (await chain.findReceipt(refund.txHash))
  const head = await chain.readHead()
  if (!found) return evaluateAbsent(needs, refund, head.latest.number)
  if (found.blockNumber > head.final.number) return { mark: 'tx_mined', error: undefined, isOver: false }
  const receipt = refund.receiptId && (await findReceipt(needs.db, refund.merchant, refund.receiptId))

  // A second query confirms the first: a single endpoint is not trusted.
  const agreed = await chain.findReceipt(found.hash, found.blockNumber)
  const block = (await chain.readBlocks(found.blockNumber, found.blockNumber))[0]
  if (!agreed || block?.hash !== agreed.blockHash)
    throw new ChainUnavailable('The chain returned a transaction and a block that do not match')
  if (!agreed.isSuccess) return mismatch('the transaction failed')
  if (receipt?.transactionAt !== undefined && block.at < receipt.transactionAt)
    return mismatch('the transaction was sent before the payment')
  const own = block.transactions.find(({ hash }) => hash === agreed.hash)
  const enough = await enoughByToken(needs, refund, receipt || undefined)
  const verdict = evaluateRefund({ buyer: refund.buyer, enough }, movesOf(agreed, own))
  return verdict.kind === 'match'
    ? { mark: 'recipient_validated', error: undefined, isOver: true }
    : mismatch(verdict.error)
}

async function evaluateAbsent({ chain, clock }: ScanNeeds, refund: Refund, latest: bigint): Promise<Verdict> {
  const age = clock.now() - refund.madeAt
  const isGone = refund.mark === 'tx_mined'
  const waits = { mark: undefined, isOver: false } as const
  if (!isGone && age <= missingAfterMs) return { ...waits, error: refund.error }
  if (refund.txHash && (await chain.findReceipt(refund.txHash, latest)))
    throw new ChainUnavailable('The endpoints do not all have the transaction')
  if (age > giveUpAfterMs) return mismatch('the transaction is not on the chain')
  if (isGone) return { ...waits, error: 'the transaction is no longer on the chain' }
  return { ...waits, error: refund.error ?? 'the transaction is not on the chain' }
}

function mismatch(reason: string): Verdict {
  return { mark: 'tx_mismatch', error: reason, isOver: true }
}

async function enoughByToken(
  needs: ScanNeeds,
  refund: Refund,
  receipt: Receipt | undefined,
): Promise<Map<Wallet, TokenUnits>> {
  const { tokenAddress, units, usdCents } = refund
  if (tokenAddress && units !== undefined) return new Map([[tokenAddress, units]])
  const enough = new Map<Wallet, TokenUnits>()
  const payments = receipt ? await listPayments(needs.db, receipt.merchant, receipt.id) : []
  const paid = payments.filter(isLive)
  for (const token of needs.chain.tokens) {
    const rates = paid.filter((each) => each.token.address === token.address).map(({ rate }) => rate)
    if (rates.length === 0 && !token.isStablecoin) continue
    const now = await findRate({ rates: needs.rates }, token.symbol)
    const asked = enoughUnits(usdCents ?? (0n as Cents), token, [now?.usdPerUnit, ...rates])
    if (asked !== undefined) enough.set(token.address, asked)
  }
  if (enough.size === 0) throw new RateUnavailable('There is no exchange rate for the refund')
  return enough
}

/**
 * Returns the token transfers and the native transfer of a transaction. Internal transfers are not visible.
 */
function movesOf(receipt: TransactionReceipt, own: BlockTransaction | undefined): RefundMove[] {
  const moves = receipt.logs.flatMap((log) => readMove(log) ?? [])
  if (own?.to && own.value > 0n)
    moves.push({ token: nativeAddress, from: own.from, to: own.to, units: own.value })
  return moves
}

function readMove(log: ChainLog): RefundMove | undefined {
  const [topic, from, to] = log.topics
  const [sender, receiver] = [readAddress(from), readAddress(to)]
  if (topic !== transferTopic || !sender || !receiver || log.topics.length !== 3 || size(log.data) !== 32)
    return undefined
  return { token: log.address, from: sender, to: receiver, units: hexToBigInt(log.data) }
}

function readAddress(topic: `0x${string}` | undefined): Wallet | undefined {
  return topic && size(topic) === 32 ? parseWallet(slice(topic, 12)) : undefined
}

function nextLook(now: UnixMs, madeAt: UnixMs): UnixMs {
  return addMs(now, Math.round(Math.min(longestPauseMs, Math.max(shortestPauseMs, (now - madeAt) / 4))))
}

type RefundMove = {
  readonly token: Wallet
  readonly from: Wallet
  readonly to: Wallet
  readonly units: bigint
}

type RefundClaim = {
  /** `undefined` if the payer is unknown: any recipient then matches. */
  readonly buyer: Wallet | undefined
  readonly enough: ReadonlyMap<Wallet, TokenUnits>
}

type RefundVerdict =
  | { readonly kind: 'match' }
  | {
      readonly kind: 'mismatch'
      readonly error: 'nothing went to the buyer' | 'another token' | 'too little'
    }

/**
 * Checks whether a transaction pays the buyer at least the logged amount in one token. Pure.
 *
 * A transfer from a wallet to itself does not count.
 */
function evaluateRefund(claim: RefundClaim, moves: readonly RefundMove[]): RefundVerdict {
  const toBuyer = moves.filter(
    ({ from, to, units }) => units > 0n && from !== to && (!claim.buyer || to === claim.buyer),
  )
  if (toBuyer.length === 0) return { kind: 'mismatch', error: 'nothing went to the buyer' }
  const sums = new Map<Wallet, bigint>()
  for (const { token, units } of toBuyer)
    if (claim.enough.has(token)) sums.set(token, (sums.get(token) ?? 0n) + units)
  if (sums.size === 0) return { kind: 'mismatch', error: 'another token' }
  const isEnough = [...sums].some(([token, units]) => units >= (claim.enough.get(token) ?? units + 1n))
  return isEnough ? { kind: 'match' } : { kind: 'mismatch', error: 'too little' }
}

/**
 * A refund in a token other than a stablecoin may fall short by 1%, because the price moves before the
 * transaction.
 */
const tolerance = { of: 100n, least: 99n }

/**
 * Returns the refund amount at the highest rate, which gives the lowest number of units, or `undefined` if no
 * rate is known.
 */
function enoughUnits(
  cents: Cents,
  token: Pick<Token, 'decimals' | 'isStablecoin'>,
  rates: readonly (RateE8 | undefined)[],
): TokenUnits | undefined {
  const known = rates.filter((rate) => rate !== undefined && rate > 0n) as RateE8[]
  const [first, ...others] = known
  if (first === undefined) return undefined
  const highest = others.reduce((top, rate) => (rate > top ? rate : top), first)
  const units = tokenUnitsFor(cents, highest, token.decimals)
  return (token.isStablecoin ? units : (units * tolerance.least) / tolerance.of) as TokenUnits
}
