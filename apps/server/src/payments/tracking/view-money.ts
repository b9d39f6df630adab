import type { ReceiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import { formatUnits, type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import type { Chain } from '../../chain/chain.ts'
import { findCoverage } from '../../chain/find-coverage.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { listRefunds } from '../../receipts/refunds/store.ts'
import { viewRefund } from '../../receipts/viewing/view-receipt.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { finalityOf } from '../cursors/finality.ts'
import { findTags } from '../cursors/store.ts'
import { findTracker } from './find-tracker.ts'
import { listShownPayments, type ShownPayment } from './store.ts'
import type { RecipientPart } from './track-money.ts'

const shownPayments = 100

/** The whole way of a receipt's money, as its merchant sees it. */
export async function viewMoney(
  needs: { readonly db: Database; readonly chain: Chain },
  receipt: Receipt,
): Promise<ReceiptMoney> {
  const { db, chain } = needs
  const { merchant, id, splitVersion } = receipt
  const [{ payments, count }, tracker, refunds, split, tags, coverage] = await Promise.all([
    listShownPayments(db, { merchant, chain: chain.id, receiptId: id }, shownPayments),
    findTracker(needs, receipt),
    listRefunds(db, merchant, id),
    splitVersion === undefined ? undefined : findSplitVersion(db, merchant, splitVersion),
    findTags(db, chain.id),
    findCoverage(db, chain.id),
  ])
  return {
    receiptId: id,
    steps: (tracker?.steps ?? []).map((step) => ({ ...step })),
    payments: payments.map((payment) => ({
      ...viewPayment(payment),
      ...(payment.isReversed
        ? { confirmations: 0, finality: 'none' as const }
        : {
            confirmations: confirmationsOf(coverage.latest, payment.blockNumber),
            finality: finalityOf(tags, payment.blockNumber),
          }),
    })),
    paymentsOmitted: count - payments.length,
    split: split ? { address: split.address, version: Number(split.version) } : null,
    recipients: (tracker?.parts ?? []).map((part) => viewPart(part, chain)),
    refunds: refunds.map(viewRefund),
  }
}

function viewPayment(payment: ShownPayment) {
  const { units, token, txHash, blockHash, kind, sweptTx } = payment
  return {
    at: payment.at,
    state: payment.isReversed
      ? ('orphaned' as const)
      : payment.isCredited
        ? ('credited' as const)
        : ('seen' as const),
    isLate: payment.isLate,
    kind,
    from: payment.payer ?? null,
    depositAddress: kind === 'call' ? null : payment.depositAddress,
    token: token.symbol,
    tokenAddress: token.address,
    amount: writeTokenAmount(units as TokenUnits, token.decimals),
    amountRaw: units.toString(),
    usdPerUnit: Number(formatUnits(payment.rate, 8)),
    // Coin without a transaction of its own is keyed by the hash of its block.
    transactionHash: txHash === blockHash ? null : txHash,
    blockNumber: Number(payment.blockNumber),
    sweepTransactionHash: sweptTx?.startsWith('0x') ? sweptTx : null,
  }
}

function viewPart(part: RecipientPart, chain: Chain): ReceiptMoney['recipients'][number] {
  const { address, sharesBps, isPlatform, units, state, transactionHash } = part
  const token = chain.tokens.find((each) => each.address === part.token)
  return {
    address,
    sharesBps,
    isPlatform,
    token: token?.symbol ?? part.token,
    amount: units === null ? null : writeTokenAmount(units as TokenUnits, token?.decimals ?? 0),
    amountRaw: units === null ? null : units.toString(),
    state,
    transactionHash,
  }
}

function confirmationsOf(latest: bigint, blockNumber: bigint): number {
  return latest >= blockNumber ? Number(latest - blockNumber + 1n) : 0
}
