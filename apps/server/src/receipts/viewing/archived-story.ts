import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { nested, nestedRows } from '../../platform/database/table.ts'
import { archivedHistory, archivedRow, documentOf } from '../archived-store.ts'
import { type HistoryEntry, historyTable, isShown } from '../history.ts'
import type { Receipt } from '../receipt.ts'
import { type TelemetryCount, telemetryTable } from './count-telemetry.ts'

/** What happened to an archived receipt, as far as it is shown, and what was reported of it. */
export type ArchivedStory = {
  readonly history: readonly HistoryEntry[]
  readonly telemetry: readonly TelemetryCount[]
}

/** It, or `undefined` where the receipt is not archived, or its month is detached. */
export async function findArchivedStory(
  db: Database,
  { merchant, id }: Pick<Receipt, 'merchant' | 'id'>,
): Promise<ArchivedStory | undefined> {
  return db.row(find({ merchant, id }))
}

/** The history of the document `d` of the receipt `r`, as `listHistory` would list it. */
export const shownArchivedHistory = `${archivedHistory} AND (${isShown}) ORDER BY seq LIMIT 1000`

/** The telemetry of the document `d`, as `listTelemetry` would list it. */
export const archivedTelemetry =
  "FROM jsonb_populate_recordset(NULL::receipt_telemetry, d.document -> 'telemetry') ORDER BY first_at, value"

const find = statement({
  name: 'find-archived-story',
  text: `SELECT ${nestedRows(historyTable, shownArchivedHistory)} AS history,
      ${nestedRows(telemetryTable, archivedTelemetry)} AS telemetry
    FROM archived_receipt AS a JOIN archived_document AS d ON ${documentOf} CROSS JOIN LATERAL ${archivedRow} AS r
    WHERE a.merchant = :merchant AND a.id = :id`,
  reads: { history: nested(historyTable), telemetry: nested(telemetryTable) },
})
