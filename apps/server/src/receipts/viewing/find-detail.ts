import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  type ChainCoverage,
  coverageOfChain,
  coverageTable,
  readCoverage,
  type StoredCoverage,
} from '../../chain/find-coverage.ts'
import { count } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, nested, nestedRows } from '../../platform/database/table.ts'
import { fromStored, type StoredSplit, splitTable } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import {
  attemptsOfReceipt,
  attemptTable,
  type Delivery,
  joinAttempts,
  noticesOfReceipt,
  noticeTable,
  type StoredAttempt,
  type StoredNotice,
} from '../../webhooks/list-deliveries.ts'
import { archivedRow, documentOf, findArchived } from '../archived-store.ts'
import { type HistoryEntry, historyTable, shownHistory } from '../history.ts'
import type { Receipt } from '../receipt.ts'
import type { Refund } from '../refunds/refund.ts'
import { refundsOfReceipt, refundTable } from '../refunds/store.ts'
import { receiptTable } from '../table.ts'
import { archivedTelemetry, shownArchivedHistory } from './archived-story.ts'
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
  return (await findDetails(db, merchant, [id], chainId))[0]
}

/** As {@link findDetail} for several ids, all by one statement; for each, in their order. */
export async function findDetails(
  db: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  chainId: number,
): Promise<(FoundDetail | undefined)[]> {
  const rows = await db.rows(find({ merchant, ids, chainId }))
  const details = new Array<FoundDetail | undefined>(ids.length).fill(undefined)
  for (const { place, ...row } of rows) details[place - 1] = detailOf(row)
  return details
}

type DetailRow = Pick<FoundDetail, 'receipt' | 'history' | 'refunds' | 'telemetry'> & {
  readonly notices: readonly StoredNotice[]
  readonly attempts: readonly StoredAttempt[]
  readonly splits: readonly StoredSplit[]
  readonly coverages: readonly StoredCoverage[]
}

function detailOf(row: DetailRow): FoundDetail {
  const { receipt, history, notices, attempts, refunds, telemetry, splits, coverages } = row
  const [split] = splits
  return {
    receipt,
    history,
    deliveries: joinAttempts(notices, attempts),
    refunds,
    telemetry,
    split: split && fromStored(split),
    coverage: readCoverage(coverages[0]),
  }
}

/**
 * As {@link findDetail}, for one that was not found: it may be archived, or have been moved back meanwhile.
 *
 * @throws {MonthDetached}
 */
export async function findDetailElsewhere(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
  chainId: number,
): Promise<FoundDetail | undefined> {
  const isHere = (await findArchived(db, merchant, id)) !== undefined
  const row = isHere ? await db.row(findArchivedDetail({ merchant, id, chainId })) : undefined
  return row ? detailOf(row) : findDetail(db, merchant, id, chainId)
}

const pinned = 'FROM split WHERE merchant = :merchant AND version = r.split_version'

/** What belongs to the receipt `r`, wherever its history and its telemetry stand. */
const detailColumns = (history: string, telemetry: string) => `${columnsOf(receiptTable, 'r')},
      ${nestedRows(historyTable, history)} AS history,
      ${nestedRows(noticeTable, noticesOfReceipt)} AS notices,
      ${nestedRows(attemptTable, attemptsOfReceipt)} AS attempts,
      ${nestedRows(refundTable, refundsOfReceipt)} AS refunds,
      ${nestedRows(telemetryTable, telemetry)} AS telemetry,
      ${nestedRows(splitTable, pinned)} AS splits,
      ${nestedRows(coverageTable, coverageOfChain)} AS coverages`

const detailParts = {
  receipt: receiptTable,
  history: nested(historyTable),
  notices: nested(noticeTable),
  attempts: nested(attemptTable),
  refunds: nested(refundTable),
  telemetry: nested(telemetryTable),
  splits: nested(splitTable),
  coverages: nested(coverageTable),
}

/** The ids stand in a subselect, so that the plan is the same for few and for many and is made once. */
const find = statement({
  name: 'find-receipt-details',
  text: `SELECT wanted.place, ${detailColumns(shownHistory, telemetryOfReceipt)}
    FROM unnest((SELECT :ids::text[])) WITH ORDINALITY AS wanted (id, place)
    JOIN receipt AS r ON r.merchant = :merchant AND r.id = wanted.id AND :chainId::int8 IS NOT NULL`,
  reads: { place: count(), ...detailParts },
})

const findArchivedDetail = statement({
  name: 'find-archived-detail',
  text: `SELECT ${detailColumns(shownArchivedHistory, archivedTelemetry)}
    FROM archived_receipt AS a JOIN archived_document AS d ON ${documentOf}
      CROSS JOIN LATERAL ${archivedRow} AS r
    WHERE a.merchant = :merchant AND a.id = :id AND :chainId::int8 IS NOT NULL`,
  reads: detailParts,
})
