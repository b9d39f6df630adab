import { receiptStatuses, spellingsOf } from '@sluice/protocol/receipt-status.ts'
import { displayOf } from '../finding/display-status.ts'

/** Cents as the API writes money. The division of two whole numbers is rounded once, as that of the server is. */
const money = (cents: string) => `(${cents}::float8 / 100)::text`
const quoted = (column: string) => `to_json(${column})::text`
const optionally = (name: string, value: string) => `coalesce(',"${name}":' || ${value}, '')`

/** Old data spells some statuses in its own way. */
const spellings = receiptStatuses.flatMap((status) =>
  spellingsOf(status)
    .filter((spelling) => spelling !== status)
    .map((spelling) => `WHEN '${spelling}' THEN '${status}'`),
)

/** Amounts of lines as the server reads them: what an earlier version made of a price and its quantity is no `int8` always. */
const lines = `(SELECT coalesce(string_agg('{"label":' || ${quoted('label')} || ',"priceUsd":' ||
        ${money('coalesce(sent, usd)')} || ${optionally('qty', 'qty::text')} ||
        ${optionally('amount', money('native'))} || '}', ','), '')
      FROM jsonb_to_recordset(lines) AS line (label text, qty numeric, usd float8, sent float8, native float8))`

const pricing = `',"pricing":{"valuation":' || ((pricing -> 'valuation') - 'usdPerUnitE8' || jsonb_build_object(
        'usdPerUnit', (pricing #>> '{valuation,usdPerUnitE8}')::float8 / 1e8))::text ||
      ',"originalTotal":' || ${money("(pricing -> 'originalTotal')::int8")} || ',"originalLineItems":[' ||
      (SELECT coalesce(string_agg('{"label":' || ${quoted('label')} || ',"amount":' || ${money('native')} ||
          ${optionally('qty', 'qty::text')} || '}', ','), '')
        FROM jsonb_to_recordset(pricing -> 'originalLines') AS line (label text, qty numeric, native int8)) || ']}'`

/** The columns of `listedTable` and the standing of a row `shown`, as JSON: what `viewListItem` shows of it, as a text. */
export const listedEntry = `'{"receiptId":' || ${quoted('id')} || ',"totalUsd":' || ${money('total_cents')} ||
      ',"currency":' || ${quoted('currency')} || ',"lineItems":[' || ${lines} || '],"createdAt":' || created_at::text ||
      ',"brandName":' || ${quoted('brand_name')} || ',"status":"' ||
      CASE status ${spellings.join(' ')} ELSE status END || '","displayStatus":"' || ${displayOf('shown')} || '"' ||
      ${optionally('total', money('native_total_cents'))} ||
      CASE WHEN pricing IS NULL THEN '' ELSE ${pricing} END ||
      ${optionally('cancelledAt', 'cancelled_at::text')} || '}'`
