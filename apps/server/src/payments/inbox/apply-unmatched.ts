import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Chain } from '../../chain/chain.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import { getRate, RateUnavailable } from '../../pricing/rates/find-rate.ts'
import type { Rate } from '../../pricing/rates/rate.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { isReturned } from '../../receipts/refunds/store.ts'
import type { Attempt } from '../attempts/attempt.ts'
import type { DepositReferences } from '../attempts/references.ts'
import { closeAttempts, listAttempts } from '../attempts/store.ts'
import { getPayableSplit } from '../checkout/open-attempt.ts'
import { createAttempt } from '../checkout/open-offer.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { findCursor, findTags } from '../cursors/store.ts'
import { isSameKey, type Payment } from '../ledger/payment.ts'
import { insertPayments, listPayments } from '../ledger/store.ts'
import { hasPaymentRow, type StoredUnmatched } from '../ledger/unmatched-store.ts'
import { givePlace, rehomePayment } from '../reconciliation/applied-money.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { settleReceipt } from '../settlement/settle-receipt.ts'

export type ApplyNeeds = Omit<ScanNeeds, 'db'> & {
  readonly tx: Database
  readonly references: DepositReferences
}

/**
 * Makes the external calls for applying a payment, before rows are locked.
 *
 * @throws {ApiError} `invalid_input` if the token is no longer accepted, or if the transaction does not
 * contain the payment's log.
 * @throws {RateUnavailable}
 */
export async function readApplyRate(
  needs: Pick<ScanNeeds, 'chain' | 'rates'>,
  payment: StoredUnmatched,
): Promise<{ token: Token; rate: Rate }> {
  const token = needs.chain.tokens.find(({ address }) => address === payment.tokenAddress)
  if (!token || payment.chain !== needs.chain.id)
    throw invalidInput({
      path: 'action',
      message: 'This token is not accepted; refund or keep the payment',
    })
  if (!(await isLogged(needs.chain, payment)))
    throw invalidInput({
      path: 'action',
      message: 'According to the network, the transaction does not contain this payment',
    })
  return { token, rate: await getRate({ rates: needs.rates }, token.symbol) }
}

async function isLogged(chain: Chain, payment: StoredUnmatched): Promise<boolean> {
  const { txHash, logIndex, block, amount } = payment
  if (logIndex < 0) return true
  const receipt = await chain.findReceipt(txHash, block.number)
  const found = receipt?.logs.find((log) => log.logIndex === logIndex && log.blockHash === block.hash)
  return found?.data.includes(amount.toString(16).padStart(64, '0')) === true
}

/**
 * Credits an unmatched payment to a receipt, in the caller's transaction. A payment in time for the receipt's
 * newest offer in the token gets that offer's rate. A late payment gets the lower of that rate and the
 * current rate. Without an offer, the current rate applies.
 *
 * @param receipt - Must be locked before the payment, to avoid deadlocks.
 * @throws {ApiError} `invalid_input` if the receipt is paid; `split_required`.
 */
export async function applyUnmatched(
  needs: ApplyNeeds,
  payment: StoredUnmatched,
  receipt: Receipt,
  around: { token: Token; rate: Rate; by: string },
): Promise<{ isNew: boolean }> {
  const { tx, chain, clock } = needs
  const { merchant, id: receiptId } = receipt
  const tags = await findTags(tx, chain.id)
  // Another payment may replace a reorged payment.
  if (isSettled(receipt.status) && receipt.payment?.state !== 'orphaned')
    throw invalidInput({ path: 'receiptId', message: 'has already been paid' })
  if (await isReturned(tx, receipt))
    throw invalidInput({ path: 'receiptId', message: 'was cancelled and refunded' })

  const attempt = await findOrMakeAttempt(needs, receipt, around)
  const home = makePayment(payment, attempt, around)
  if (await hasPaymentRow(tx, merchant, chain.id, payment)) await rehomePayment(tx, chain.id, home)
  else await insertPayments(tx, chain.id, [home])
  await givePlace(tx, chain.id, home)
  await recordProgress({ tx, clock }, merchant, receiptId, {
    splitVersion: attempt.splitVersion,
    entries: [
      {
        kind: 'payment_applied',
        detail: {
          unmatchedId: payment.id,
          transactionHash: payment.txHash,
          token: around.token.symbol,
          amount: payment.amount.toString(),
          by: around.by,
        },
      },
    ],
  })
  const cursor = await findCursor(tx, chain.id, cursorNames.transfers)
  const context = {
    chain: chain.id,
    tags,
    coveredTo: cursor?.at ?? (0 as UnixMs),
    policy: needs.policy,
  }
  const settled = await settleReceipt(needs, context, { merchant, receiptId })
  const after = (await listPayments(tx, merchant, receiptId)).find((each) => isSameKey(each, payment))
  if (after?.state !== 'credited')
    throw invalidInput({ path: 'receiptId', message: 'is already covered by other payments' })
  await queueReconcile(tx, [{ merchant, receiptId }], clock.now())
  return settled
}

async function findOrMakeAttempt(
  needs: ApplyNeeds,
  receipt: Receipt,
  { token, rate }: { token: Token; rate: Rate },
): Promise<Attempt> {
  const { tx, chain, clock } = needs
  const attempts = await listAttempts(tx, receipt.merchant, receipt.id)
  const own = attempts.findLast((attempt) => attempt.token.address === token.address)
  if (own) return own
  const split = await getPayableSplit({ db: tx, chain }, receipt)
  const offer = { token, payer: undefined, split, rate, by: 'page' } as const
  const made = await createAttempt(needs, receipt, offer, { openedBlock: 0n })
  await closeAttempts(tx, [made], clock.now())
  return made
}

function makePayment(
  payment: StoredUnmatched,
  attempt: Attempt,
  { token, rate }: { token: Token; rate: Rate },
): Payment {
  const { merchant, txHash, logIndex, address, payer, block, seenAt } = payment
  const isLate = block.at > attempt.expiresAt
  const now = rate.usdPerUnit
  const counted: RateE8 = isLate && now < attempt.rate ? now : attempt.rate
  if (counted <= 0n) throw new RateUnavailable('There is no exchange rate for this payment')
  return {
    merchant,
    receiptId: attempt.receiptId,
    attemptId: attempt.id,
    txHash,
    logIndex,
    address,
    kind: kindOf(payment),
    source: payment.source,
    token,
    units: payment.amount as TokenUnits,
    payer,
    rate: counted,
    isLate,
    block,
    state: 'seen',
    seenAt,
    creditedAt: undefined,
    acceptedAt: undefined,
  }
}

/**
 * Older rows have no kind. A payment without a receipt reached the split; any other payment reached a deposit
 * address.
 */
function kindOf({ kind, receiptId, logIndex }: StoredUnmatched): Payment['kind'] {
  if (kind) return kind
  if (receiptId === undefined) return 'call'
  return logIndex < 0 ? 'native' : 'transfer'
}
