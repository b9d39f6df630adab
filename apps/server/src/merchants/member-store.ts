import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, placesOf, table } from '../platform/database/table.ts'

export type Member = { readonly wallet: Wallet; readonly role: MemberRole; readonly createdAt: UnixMs }

/** Returns the membership of a wallet, or `undefined` if it is not a member of the merchant. */
export async function findMember(
  db: Database,
  merchant: Wallet,
  wallet: Wallet,
): Promise<Member | undefined> {
  return db.row(find({ merchant, wallet }))
}

/** Returns all members, in the order in which they joined. */
export async function listMembers(db: Database, merchant: Wallet): Promise<Member[]> {
  return db.rows(list({ merchant }))
}

/** Returns at most 200 memberships: the wallet's own merchant first, then in the order of joining. */
export async function listMemberships(
  db: Database,
  wallet: Wallet,
): Promise<{ merchant: Wallet; role: MemberRole }[]> {
  const merchants = (await db.rows(listOfWallet({ wallet }))).map(({ merchant }) => merchant)
  if (merchants.length === 0) return []
  const roles = await db.rows(listRoles({ wallet, merchants }))
  return roles.toSorted((a, b) => merchants.indexOf(a.merchant) - merchants.indexOf(b.merchant))
}

export async function upsertMember(tx: Database, merchant: Wallet, member: Member): Promise<void> {
  await tx.run(upsert({ merchant, ...member }))
  await tx.run(addToDirectory({ wallet: member.wallet, merchant, createdAt: member.createdAt }))
}

export async function deleteMember(tx: Database, merchant: Wallet, wallet: Wallet): Promise<void> {
  await tx.run(remove({ merchant, wallet }))
  await tx.run(removeFromDirectory({ wallet, merchant }))
}

/** Locks the members of a merchant until the transaction ends. */
export async function lockMembers(tx: Database, merchant: Wallet): Promise<void> {
  await tx.run(lock({ merchant }))
}

const memberTable = table<Member>('member', {
  wallet: text(),
  role: text<MemberRole>(),
  createdAt: time(),
})

const find = statement({
  name: 'find-member',
  reads: memberTable,
  text: `SELECT ${columnsOf(memberTable)} FROM member WHERE merchant = :merchant AND wallet = :wallet`,
})

const list = statement({
  name: 'list-members',
  reads: memberTable,
  text: `SELECT ${columnsOf(memberTable)} FROM member WHERE merchant = :merchant ORDER BY created_at, wallet`,
})

const listOfWallet = statement({
  name: 'list-memberships',
  reads: { merchant: text<Wallet>() },
  text: 'SELECT merchant FROM member_wallet WHERE wallet = :wallet ORDER BY merchant <> wallet, since, merchant LIMIT 200',
})

const listRoles = statement({
  name: 'list-roles-of-wallet',
  reads: { merchant: text<Wallet>(), role: text<MemberRole>() },
  text: 'SELECT merchant, role FROM member WHERE merchant = ANY(:merchants::text[]) AND wallet = :wallet',
})

const upsert = statement({
  name: 'upsert-member',
  ends: 'wallet',
  writes: memberTable,
  text: `INSERT INTO member (merchant, ${columnsOf(memberTable)}) VALUES (:merchant, ${placesOf(memberTable)})
    ON CONFLICT (merchant, wallet) DO UPDATE SET role = excluded.role`,
})

const addToDirectory = statement({
  name: 'insert-member-wallet',
  text: 'INSERT INTO member_wallet (wallet, merchant, since) VALUES (:wallet, :merchant, :createdAt) ON CONFLICT (wallet, merchant) DO NOTHING',
})

const remove = statement({
  name: 'delete-member',
  ends: 'wallet',
  text: 'DELETE FROM member WHERE merchant = :merchant AND wallet = :wallet',
})

const removeFromDirectory = statement({
  name: 'delete-member-wallet',
  text: 'DELETE FROM member_wallet WHERE wallet = :wallet AND merchant = :merchant',
})

const lock = statement({
  name: 'lock-members',
  text: 'SELECT merchant FROM merchant WHERE merchant = :merchant FOR UPDATE',
})
