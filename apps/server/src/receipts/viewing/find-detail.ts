import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  type ChainCoverage,
  coverageOfChain,
  coverageTable,
  readCoverage,
} from '../../chain/find-coverage.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, nested, nestedRows } from '../../platform/database/table.ts'
import { splitTable } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import {
  attemptsOfReceipt,
  attemptTable,
  type Delivery,
  joinAttempts,
  noticesOfReceipt,
  noticeTable,
} from '../../webhooks/list-deliveries.ts'
import { type HistoryEntry, historyTable, shownHistory } from '../history.ts'
import type { Receipt } from '../receipt.ts'
import type { Refund } from '../refunds/refund.ts'
import { refundsOfReceipt, refundTable } from '../refunds/store.ts'
import { receiptTable } from '../table.ts'
import { type TelemetryCount, telemetryOfReceipt, telemetryTable } from './count-telemetry.ts'

/** A receipt and everything that is shown with it to its merchant. */
export type FoundDetail = {
  readonly receipt: Receipt
  readonly history: readonly HistoryEntry[]
  readonly deliveries: readonly Delivery[]
  readonly refunds: readonly Refund[]
  readonly telemetry: readonly TelemetryCount[]
  /** The version that it pinned. */
  readonly split: Split | undefined
  readonly coverage: ChainCoverage
}

/** The merchant's receipt with all of it, read by one statement; `undefined` where the merchant has none of that id. */
export async function findDetail(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
  chainId: number,
): Promise<FoundDetail | undefined> {
  const row = await db.row(find({ merchant, id, chainId }))
  if (!row) return undefined
  const { receipt, history, notices, attempts, refunds, telemetry, splits, coverages } = row
  const deliveries = joinAttempts(notices, attempts)
  const [split] = splits
  return { receipt, history, deliveries, refunds, telemetry, split, coverage: readCoverage(coverages[0]) }
}

const pinned = 'FROM split WHERE merchant = :merchant AND version = r.split_version'

const find = statement({
  name: 'find-receipt-detail',
  text: `SELECT ${columnsOf(receiptTable, 'r')},
      ${nestedRows(historyTable, shownHistory)} AS history,
      ${nestedRows(noticeTable, noticesOfReceipt)} AS notices,
      ${nestedRows(attemptTable, attemptsOfReceipt)} AS attempts,
      ${nestedRows(refundTable, refundsOfReceipt)} AS refunds,
      ${nestedRows(telemetryTable, telemetryOfReceipt)} AS telemetry,
      ${nestedRows(splitTable, pinned)} AS splits,
      ${nestedRows(coverageTable, coverageOfChain)} AS coverages
    FROM receipt AS r WHERE r.merchant = :merchant AND r.id = :id AND :chainId::int8 IS NOT NULL`,
  reads: {
    receipt: receiptTable,
    history: nested(historyTable),
    notices: nested(noticeTable),
    attempts: nested(attemptTable),
    refunds: nested(refundTable),
    telemetry: nested(telemetryTable),
    splits: nested(splitTable),
    coverages: nested(coverageTable),
  },
})
