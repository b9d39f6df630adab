import type { DisplayStatus, ListedStatus } from '@sluice/protocol/receipt-status.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { numeric, text } from '../../platform/database/columns.ts'
import { statement } from '../../platform/database/statement.ts'
import { bind, type FindingNeeds } from '../finding/find-places.ts'
import {
  display,
  foundExpired,
  foundStopped,
  foundUneven,
  isFound,
  passes,
} from '../finding/place-columns.ts'
import type { ReceiptFilter } from '../finding/receipt-filter.ts'
import type { Currency } from '../receipt.ts'
import { storedListedStatus } from '../table.ts'

export type Displayed = {
  readonly currency: Currency
  readonly status: ListedStatus
  readonly display: DisplayStatus
  readonly receipts: bigint
  readonly nativeCents: bigint
}

const room = 20_000

export function countDisplayed(
  needs: FindingNeeds,
  merchant: Wallet,
  filter: ReceiptFilter,
): Promise<Displayed[]> {
  return needs.db.rows(count({ merchant, ...bind(needs, filter), room }))
}

const count = statement({
  name: 'count-displayed-receipts',
  text: `SELECT r.currency, r.standing AS status, r.display, count(*)::numeric AS receipts,
      sum(coalesce(r.native_total_cents, r.total_cents))::numeric AS native_cents
    FROM (SELECT r.*, ${display} AS display
      FROM ((${foundUneven}) UNION (${foundExpired}) UNION (${foundStopped})) AS r WHERE ${passes} AND ${isFound}) AS r
    WHERE r.display <> r.standing GROUP BY 1, 2, 3`,
  reads: {
    currency: text<Currency>(),
    status: storedListedStatus(),
    display: text<DisplayStatus>(),
    receipts: numeric(),
    nativeCents: numeric(),
  },
})
