import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

/** Somebody who may act for a merchant. */
export type Member = { readonly wallet: Wallet; readonly role: MemberRole; readonly createdAt: UnixMs }

/** A merchant's member of this wallet. */
export async function findMember(
  db: Database,
  merchant: Wallet,
  wallet: Wallet,
): Promise<Member | undefined> {
  const row = await db.row<MemberRow>(find, [merchant, wallet])
  return row && readMember(row)
}

/** A merchant's members, oldest first. */
export async function listMembers(db: Database, merchant: Wallet): Promise<Member[]> {
  return (await db.rows<MemberRow>(list, [merchant])).map(readMember)
}

/** Where a wallet is a member, oldest first. */
export async function listMemberships(
  db: Database,
  wallet: Wallet,
): Promise<{ merchant: Wallet; role: MemberRole }[]> {
  return db.rows<{ merchant: Wallet; role: MemberRole }>(listOfWallet, [wallet])
}

/** Stores a member, or the new role of one; when somebody became a member stays as it is. */
export async function upsertMember(tx: Database, merchant: Wallet, member: Member): Promise<void> {
  await tx.run(upsert, [merchant, member.wallet, member.role, member.createdAt])
  await tx.run(addToDirectory, [member.wallet, merchant, member.createdAt])
}

/** Removes a member. */
export async function deleteMember(tx: Database, merchant: Wallet, wallet: Wallet): Promise<void> {
  await tx.run(remove, [merchant, wallet])
  await tx.run(removeFromDirectory, [wallet, merchant])
}

/** Keeps everybody else from changing the merchant's members until the transaction ends. */
export async function lockMembers(tx: Database, merchant: Wallet): Promise<void> {
  await tx.run(lock, [merchant])
}

type MemberRow = { wallet: string; role: MemberRole; created_at: bigint }

function readMember(row: MemberRow): Member {
  return { wallet: row.wallet as Wallet, role: row.role, createdAt: Number(row.created_at) as UnixMs }
}

const find = {
  name: 'find-member',
  text: 'SELECT wallet, role, created_at FROM member WHERE merchant = $1 AND wallet = $2',
}

const list = {
  name: 'list-members',
  text: 'SELECT wallet, role, created_at FROM member WHERE merchant = $1 ORDER BY created_at, wallet',
}

const listOfWallet = {
  name: 'list-memberships',
  text: `SELECT d.merchant, m.role FROM member_wallet d
    JOIN member m ON m.merchant = d.merchant AND m.wallet = d.wallet
    WHERE d.wallet = $1 ORDER BY d.since, d.merchant LIMIT 200`,
}

const upsert = {
  name: 'upsert-member',
  text: `INSERT INTO member (merchant, wallet, role, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (merchant, wallet) DO UPDATE SET role = excluded.role`,
}

const addToDirectory = {
  name: 'insert-member-wallet',
  text: 'INSERT INTO member_wallet (wallet, merchant, since) VALUES ($1, $2, $3) ON CONFLICT (wallet, merchant) DO NOTHING',
}

const remove = { name: 'delete-member', text: 'DELETE FROM member WHERE merchant = $1 AND wallet = $2' }

const removeFromDirectory = {
  name: 'delete-member-wallet',
  text: 'DELETE FROM member_wallet WHERE wallet = $1 AND merchant = $2',
}

const lock = { name: 'lock-members', text: 'SELECT merchant FROM merchant WHERE merchant = $1 FOR UPDATE' }
