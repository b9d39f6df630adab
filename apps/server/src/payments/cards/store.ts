import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { json, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assign, columnsOf, placesOf, table } from '../../platform/database/table.ts'
import type { OnrampSession, SessionSource } from './session.ts'

export type SessionPlace = {
  readonly reference: string
  readonly provider: string
  readonly sessionId: string | undefined
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly openedAt: UnixMs
}

export async function insertSession(tx: Database, session: OnrampSession): Promise<void> {
  await tx.run(insert(session))
}

export async function listSessions(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<OnrampSession[]> {
  return db.rows(list({ merchant, receiptId }))
}

/**
 * Saves a session; the caller must hold the receipt's lock. Erases the buyer's network address when polling
 * no longer needs it.
 */
export async function saveSession(
  tx: Database,
  session: OnrampSession,
  lookAt: UnixMs | undefined,
): Promise<void> {
  await tx.run(save(session))
  const { merchant, reference, sessionId } = session
  await tx.run(savePlace({ reference, sessionId, lookAt }))
  if (lookAt === undefined || session.state === 'settled')
    await tx.run(forgetAddress({ merchant, reference }))
}

export async function findPlace(
  db: Database,
  provider: string,
  named: { readonly reference: string | undefined; readonly sessionId: string | undefined },
): Promise<SessionPlace | undefined> {
  const { reference, sessionId } = named
  const own = reference === undefined ? undefined : await db.row(byReference({ provider, reference }))
  if (own || sessionId === undefined) return own
  return db.row(bySession({ provider, sessionId }))
}

export async function listDuePlaces(db: Database, now: UnixMs, limit: number): Promise<SessionPlace[]> {
  return db.rows(listDue({ now, limit }))
}

/** Sets the time of the next poll. `undefined` ends polling and erases the buyer's network address. */
export async function postponeLook(
  db: Database,
  { merchant, reference }: Pick<SessionPlace, 'merchant' | 'reference'>,
  lookAt: UnixMs | undefined,
): Promise<void> {
  await db.run(postpone({ reference, lookAt }))
  if (lookAt === undefined) await db.run(forgetAddress({ merchant, reference }))
}

export async function pruneUnopened(db: Database, before: UnixMs): Promise<void> {
  await db.run(prune({ before }))
}

type StoredSource = Omit<SessionSource, 'cents'> & { readonly cents: number }

const sessionTable = table<OnrampSession>('onramp_session', {
  merchant: text(),
  reference: text(),
  receiptId: text(),
  attemptId: text(),
  provider: text(),
  sessionId: optional(text()),
  hostedUrl: optional(text()),
  clientAddress: optional(text()),
  state: text(),
  changedAt: time(),
  error: optional(json()),
  source: optional(
    json({
      read: ({ cents, ...rest }: StoredSource) => ({ ...rest, cents: BigInt(cents) as Cents }),
      write: ({ cents, ...rest }: SessionSource) => ({ ...rest, cents: Number(cents) }),
    }),
  ),
  transactionHash: optional(text()),
  openedAt: time(),
})

const storedPlace = {
  reference: text(),
  provider: text(),
  sessionId: optional(text()),
  merchant: text<Wallet>(),
  receiptId: text<ReceiptId>(),
  openedAt: time(),
}

const placeColumns = 'reference, provider, session_id, merchant, receipt_id, opened_at'

const insert = statement({
  name: 'insert-onramp-session',
  text: `WITH placed AS (
      INSERT INTO onramp_place (reference, provider, merchant, receipt_id, opened_at)
      VALUES (:reference, :provider, :merchant, :receiptId, :openedAt))
    INSERT INTO onramp_session (${columnsOf(sessionTable)}) VALUES (${placesOf(sessionTable)})`,
  writes: sessionTable,
})

const list = statement({
  name: 'list-onramp-sessions',
  text: `SELECT ${columnsOf(sessionTable)} FROM onramp_session
    WHERE merchant = :merchant AND receipt_id = :receiptId ORDER BY opened_at, reference`,
  reads: sessionTable,
})

const changing = [
  'sessionId',
  'hostedUrl',
  'state',
  'changedAt',
  'error',
  'source',
  'transactionHash',
] as const

const save = statement({
  name: 'save-onramp-session',
  text: `UPDATE onramp_session SET ${assign(sessionTable, changing)}
    WHERE merchant = :merchant AND reference = :reference`,
  writes: sessionTable,
})

const savePlace = statement({
  name: 'save-onramp-place',
  text: 'UPDATE onramp_place SET session_id = :sessionId, look_at = :lookAt WHERE reference = :reference',
})

const byReference = statement({
  name: 'find-onramp-place-by-reference',
  text: `SELECT ${placeColumns} FROM onramp_place WHERE reference = :reference AND provider = :provider`,
  reads: storedPlace,
})

const bySession = statement({
  name: 'find-onramp-place-by-session',
  text: `SELECT ${placeColumns} FROM onramp_place WHERE provider = :provider AND session_id = :sessionId`,
  reads: storedPlace,
})

const listDue = statement({
  name: 'list-onramp-places-due',
  text: `SELECT ${placeColumns} FROM onramp_place WHERE look_at <= :now ORDER BY look_at LIMIT :limit`,
  reads: storedPlace,
})

const postpone = statement({
  name: 'postpone-onramp-look',
  text: 'UPDATE onramp_place SET look_at = :lookAt WHERE reference = :reference',
})

const forgetAddress = statement({
  name: 'forget-onramp-client-address',
  text: `UPDATE onramp_session SET client_address = NULL
    WHERE merchant = :merchant AND reference = :reference AND client_address IS NOT NULL`,
})

const prune = statement({
  name: 'prune-unopened-onramp-sessions',
  text: `WITH gone AS (
      DELETE FROM onramp_place WHERE session_id IS NULL AND look_at IS NULL AND opened_at < :before
      RETURNING merchant, reference)
    DELETE FROM onramp_session AS old USING gone
    WHERE old.merchant = gone.merchant AND old.reference = gone.reference AND old.state = 'opening'`,
})
