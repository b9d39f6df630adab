import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  type ChainCoverage,
  coverageOfChain,
  coverageTable,
  readCoverage,
} from '../../chain/find-coverage.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, nested, nestedRows } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { BrandUrls } from '../../site/brand-origins.ts'
import { splitTable } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import {
  attemptsOfReceipt,
  type Delivery,
  joinAttempts,
  listDeliveries,
  messagesOfReceipt,
  outboxTable,
} from '../../webhooks/list-deliveries.ts'
import { attemptTable } from '../../webhooks/queued-delivery.ts'
import { countLeftOut, type HistoryEntry, historyTable, listHistory, shownHistory } from '../history.ts'
import { receiptUrl, shortPaymentUrl } from '../payment-url.ts'
import { hasBuyerData, type Receipt } from '../receipt.ts'
import type { Refund } from '../refunds/refund.ts'
import { refundsOfReceipt, refundTable } from '../refunds/store.ts'
import { findReceipt } from '../store.ts'
import { receiptTable } from '../table.ts'
import { listTelemetry, type TelemetryCount, telemetryOfReceipt, telemetryTable } from './count-telemetry.ts'
import { signReceiptLink } from './private-link.ts'
import { viewWholeTimeline } from './timeline.ts'
import { viewDetail } from './view-receipt.ts'

type DetailNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly deadlines: Pick<Clock, 'now'>
  readonly secrets: Secrets
  readonly site: { readonly chainId: number }
  readonly urls: BrandUrls
}

/**
 * Returns the merchant's receipt in full.
 *
 * @throws {ApiError} `not_found` if the receipt does not exist or belongs to another merchant. Both cases
 * return the same response, so that ids cannot be probed.
 */
export async function loadDetail(needs: DetailNeeds, merchant: Wallet, id: string): Promise<ReceiptDetail> {
  const parsed = parseReceiptId(id)
  const found = parsed && (await findDetail(needs.db, merchant, parsed, needs.site.chainId))
  if (!found) throw new ApiError('not_found', 'Receipt not found')
  const { receipt } = found
  const baseUrl = await needs.urls.of(receipt.brandKey)
  const urls = {
    paymentUrl: shortPaymentUrl(baseUrl, receipt),
    receiptUrl: receiptUrl(baseUrl, receipt),
    privateReceiptUrl: hasBuyerData(receipt)
      ? receiptUrl(baseUrl, receipt, signReceiptLink(needs.secrets, receipt, needs.clock.now()))
      : null,
  }
  return viewDetail(receipt, { ...found, now: needs.deadlines.now(), urls })
}

export async function loadTimeline(needs: { readonly db: Database }, receipt: Receipt) {
  const { merchant, id } = receipt
  const [history, deliveries, telemetry] = await Promise.all([
    listHistory(needs.db, receipt),
    listDeliveries(needs, merchant, id),
    listTelemetry(needs.db, merchant, id),
  ])
  return {
    receiptId: id,
    entries: viewWholeTimeline(history, deliveries, telemetry),
    omitted: countLeftOut(receipt.historyCount),
  }
}

/**
 * Returns the merchant's receipt.
 *
 * @throws {ApiError} `not_found` if the receipt does not exist or belongs to another merchant. Both cases
 * return the same response, so that ids cannot be probed.
 */
export async function getReceipt(needs: { db: Database }, merchant: Wallet, id: string): Promise<Receipt> {
  const parsed = parseReceiptId(id)
  const receipt = parsed && (await findReceipt(needs.db, merchant, parsed))
  if (!receipt) throw new ApiError('not_found', 'Receipt not found')
  return receipt
}

type FoundDetail = {
  readonly receipt: Receipt
  readonly history: readonly HistoryEntry[]
  readonly deliveries: readonly Delivery[]
  readonly refunds: readonly Refund[]
  readonly telemetry: readonly TelemetryCount[]
  readonly split: Split | undefined
  readonly coverage: ChainCoverage
}

/** Reads a receipt and its related rows in one statement. */
async function findDetail(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
  chainId: number,
): Promise<FoundDetail | undefined> {
  const row = await db.row(find({ merchant, id, chainId }))
  if (!row) return undefined
  const { receipt, history, messages, attempts, refunds, telemetry, splits, coverages } = row
  const deliveries = joinAttempts(messages, attempts)
  const [split] = splits
  return { receipt, history, deliveries, refunds, telemetry, split, coverage: readCoverage(coverages[0]) }
}

const pinned = 'FROM split WHERE merchant = :merchant AND version = r.split_version'

const find = statement({
  name: 'find-receipt-detail',
  text: `SELECT ${columnsOf(receiptTable, 'r')},
      ${nestedRows(historyTable, shownHistory)} AS history,
      ${nestedRows(outboxTable, messagesOfReceipt)} AS messages,
      ${nestedRows(attemptTable, attemptsOfReceipt)} AS attempts,
      ${nestedRows(refundTable, refundsOfReceipt)} AS refunds,
      ${nestedRows(telemetryTable, telemetryOfReceipt)} AS telemetry,
      ${nestedRows(splitTable, pinned)} AS splits,
      ${nestedRows(coverageTable, coverageOfChain)} AS coverages
    FROM receipt AS r WHERE r.merchant = :merchant AND r.id = :id AND :chainId::int8 IS NOT NULL`,
  reads: {
    receipt: receiptTable,
    history: nested(historyTable),
    messages: nested(outboxTable),
    attempts: nested(attemptTable),
    refunds: nested(refundTable),
    telemetry: nested(telemetryTable),
    splits: nested(splitTable),
    coverages: nested(coverageTable),
  },
})
