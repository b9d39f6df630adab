import type { ReceiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { getReceipt } from '../../receipts/viewing/get-receipt.ts'
import { type FinalityTags, finalityOf } from '../cursors/finality.ts'
import { findTags } from '../cursors/store.ts'
import { findTracker, type TrackingNeeds } from './find-tracker.ts'
import { listShownPayments, type ShownPayment } from './store.ts'
import type { RecipientPart } from './track-money.ts'

const shownPayments = 50

/**
 * Where every base unit of a receipt is, as its merchant sees it: from the buyer over a deposit address to each
 * recipient.
 *
 * @throws {Refusal} `not_found`.
 */
export async function findMoney(needs: TrackingNeeds, merchant: Wallet, id: string): Promise<ReceiptMoney> {
  const { db, chain } = needs
  const receipt = await getReceipt(needs, merchant, id)
  const [{ payments, count }, tags, tracker] = await Promise.all([
    listShownPayments(db, { merchant, chain: chain.id, receiptId: receipt.id }, shownPayments),
    findTags(db, chain.id),
    findTracker(needs, receipt),
  ])
  const tokens = new Map(chain.tokens.map((token) => [token.address, token]))
  const viewPart = (part: RecipientPart): ReceiptMoney['parts'][number] => {
    const { symbol = '', decimals = 0 } = tokens.get(part.token) ?? {}
    const { address, sharesBps, isPlatform, units, state, transactionHash } = part
    return {
      address,
      sharesBps,
      isPlatform,
      token: symbol,
      decimals,
      amountRaw: units?.toString() ?? null,
      state,
      transactionHash,
    }
  }
  return {
    steps: [...(tracker?.steps ?? [])],
    payments: payments.map((payment) => viewPayment(payment, tags)),
    paymentsOmitted: count - payments.length,
    parts: tracker?.parts.map(viewPart) ?? [],
  }
}

function viewPayment(payment: ShownPayment, tags: FinalityTags): ReceiptMoney['payments'][number] {
  const { txHash, blockHash, blockNumber, kind, sweptTx, token, units, at, isLate, isReversed } = payment
  const above = tags.latest - blockNumber + 1n
  return {
    // Coin without a transaction of its own is keyed by the hash of its block.
    transactionHash: txHash === blockHash ? null : txHash,
    blockNumber: Number(blockNumber),
    at,
    payer: payment.payer ?? null,
    depositAddress: kind === 'call' ? null : payment.depositAddress,
    sweepTransactionHash: sweptTx?.startsWith('0x') ? sweptTx : null,
    token: token.symbol,
    decimals: token.decimals,
    amountRaw: units.toString(),
    confirmations: isReversed || above < 0n ? 0 : Number(above),
    finality: isReversed ? 'none' : finalityOf(tags, blockNumber),
    isLate,
    isReversed,
  }
}
