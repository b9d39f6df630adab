import { createHash } from 'node:crypto'
import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { InvitationState } from '@sluice/protocol/api/invitations.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Random } from '../kernel/random.ts'
import { optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, placesOf, table } from '../platform/database/table.ts'

/** Invitation for one wallet. `usedBy` and `withdrawnAt` exclude each other. */
export type Invitation = {
  readonly id: string
  readonly role: MemberRole
  readonly madeBy: Wallet
  readonly createdAt: UnixMs
  readonly expiresAt: UnixMs
  readonly usedBy: Wallet | undefined
  readonly usedAt: UnixMs | undefined
  readonly withdrawnAt: UnixMs | undefined
}

/** Maximum number of open invitations per merchant, because each grants access. */
export const openLimit = 20

/** Maximum number of stored closed invitations per merchant. Older ones are deleted. */
const keptLimit = 100

/** Returns a token: `inv_` and 256 random bits. Only its hash is stored. */
export function makeInvitationToken(random: Random): string {
  return `inv_${Buffer.from(random.bytes(32)).toString('base64url')}`
}

/** Returns the SHA-256 under which a token is stored. */
export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Returns the state of an invitation at `now`. Use and withdrawal take precedence over expiry. */
export function stateOfInvitation(invitation: Invitation, now: UnixMs): InvitationState {
  if (invitation.usedAt !== undefined) return 'used'
  if (invitation.withdrawnAt !== undefined) return 'withdrawn'
  return now >= invitation.expiresAt ? 'expired' : 'open'
}

/** Stores an invitation under the hash of its token, and deletes the oldest closed ones beyond the limit. */
export async function insertInvitation(
  tx: Database,
  merchant: Wallet,
  invitation: Invitation,
  hash: string,
): Promise<void> {
  await tx.run(insert({ merchant, ...invitation }))
  await tx.run(addToDirectory({ hash, merchant, id: invitation.id }))
  const forgotten = await tx.rows(listForgotten({ merchant, now: invitation.createdAt, kept: keptLimit }))
  const ids = forgotten.map(({ id: old }) => old)
  if (ids.length === 0) return
  await tx.run(removeFromDirectory({ merchant, ids }))
  await tx.run(remove({ merchant, ids }))
}

/** Finds an invitation of any merchant: the invited person has only the token. */
export function findInvitationByHash(
  db: Database,
  hash: string,
): Promise<{ merchant: Wallet; id: string } | undefined> {
  return db.row(findByHash({ hash }))
}

/** Returns an invitation in any state. */
export function findInvitation(db: Database, merchant: Wallet, id: string): Promise<Invitation | undefined> {
  return db.row(find({ merchant, id }))
}

/** Returns the invitations that can still be used at `now`. */
export function listOpenInvitations(db: Database, merchant: Wallet, now: UnixMs): Promise<Invitation[]> {
  return db.rows(listOpen({ merchant, now }))
}

export async function useInvitation(
  tx: Database,
  merchant: Wallet,
  id: string,
  by: { wallet: Wallet; at: UnixMs },
): Promise<void> {
  await tx.run(use({ merchant, id, wallet: by.wallet, at: by.at }))
}

/** Withdraws an open invitation. Returns `false` if it is no longer open. */
export async function withdrawInvitation(
  tx: Database,
  merchant: Wallet,
  id: string,
  at: UnixMs,
): Promise<boolean> {
  return (await tx.run(withdraw({ merchant, id, at }))) === 1
}

/** Withdraws all open invitations of a member. */
export async function withdrawInvitationsOf(
  tx: Database,
  merchant: Wallet,
  wallet: Wallet,
  at: UnixMs,
): Promise<void> {
  await tx.run(withdrawOf({ merchant, wallet, at }))
}

const invitationTable = table<Invitation>('invitation', {
  id: text(),
  role: text<MemberRole>(),
  madeBy: text<Wallet>(),
  createdAt: time(),
  expiresAt: time(),
  usedBy: optional(text<Wallet>()),
  usedAt: optional(time()),
  withdrawnAt: optional(time()),
})

const isOpen = 'used_at IS NULL AND withdrawn_at IS NULL AND expires_at > :now'

const insert = statement({
  name: 'insert-invitation',
  writes: invitationTable,
  text: `INSERT INTO invitation (merchant, ${columnsOf(invitationTable)}) VALUES (:merchant, ${placesOf(invitationTable)})`,
})

const addToDirectory = statement({
  name: 'insert-invitation-hash',
  text: 'INSERT INTO invitation_hash (hash, merchant, invitation_id) VALUES (:hash, :merchant, :id)',
})

const listForgotten = statement({
  name: 'list-invitations-to-forget',
  reads: { id: text() },
  text: `SELECT id FROM invitation WHERE merchant = :merchant AND NOT (${isOpen})
    ORDER BY created_at DESC, id DESC OFFSET :kept`,
})

const removeFromDirectory = statement({
  name: 'forget-invitation-hashes',
  text: 'DELETE FROM invitation_hash WHERE merchant = :merchant AND invitation_id = ANY(:ids::text[])',
})

const remove = statement({
  name: 'forget-invitations',
  text: 'DELETE FROM invitation WHERE merchant = :merchant AND id = ANY(:ids::text[])',
})

const findByHash = statement({
  name: 'find-invitation-by-hash',
  reads: { merchant: text<Wallet>(), id: text() },
  text: 'SELECT merchant, invitation_id AS id FROM invitation_hash WHERE hash = :hash',
})

const find = statement({
  name: 'find-invitation',
  reads: invitationTable,
  text: `SELECT ${columnsOf(invitationTable)} FROM invitation WHERE merchant = :merchant AND id = :id`,
})

const listOpen = statement({
  name: 'list-open-invitations',
  reads: invitationTable,
  text: `SELECT ${columnsOf(invitationTable)} FROM invitation WHERE merchant = :merchant AND ${isOpen}
    ORDER BY created_at DESC, id DESC LIMIT 100`,
})

const use = statement({
  name: 'use-invitation',
  text: 'UPDATE invitation SET used_by = :wallet, used_at = :at WHERE merchant = :merchant AND id = :id',
})

const withdraw = statement({
  name: 'withdraw-invitation',
  text: `UPDATE invitation SET withdrawn_at = :at WHERE merchant = :merchant AND id = :id
    AND used_at IS NULL AND withdrawn_at IS NULL AND expires_at > :at`,
})

const withdrawOf = statement({
  name: 'withdraw-invitations-of-member',
  text: `UPDATE invitation SET withdrawn_at = :at WHERE merchant = :merchant AND made_by = :wallet
    AND used_at IS NULL AND withdrawn_at IS NULL AND expires_at > :at`,
})
