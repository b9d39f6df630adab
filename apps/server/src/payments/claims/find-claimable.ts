import { findBrandOfMerchant, isShownAt } from '../../site/find-brand.ts'
import { type FindUnlistedNeeds, findUnlisted, type UnlistedLog } from './find-unlisted.ts'
import { type ClaimableRow, listClaimable, listOwners } from './store.ts'

/** A payment that may be claimed: nothing of it that the chain does not show to everybody. */
export type ClaimablePayment = {
  readonly transactionHash: string
  readonly logIndex: number
  /** Null for a token that is not accepted here. */
  readonly token: string | null
  readonly tokenAddress: string
  /** What such a token calls itself, which may be anything. */
  readonly tokenName: string | null
  readonly decimals: number
  /** Base units. */
  readonly amount: string
  readonly payer: string | null
  /** The address it went to, where it is known. */
  readonly to: string | null
  readonly at: number
}

/** What looking for a payment leans on. */
export type FindClaimableNeeds = FindUnlistedNeeds

const shownAtMost = 20

/** A transaction's hash in the one spelling it is stored in; `undefined` for what is none. */
export function parseTransactionHash(text: string): `0x${string}` | undefined {
  const hash = text.trim().toLowerCase()
  return /^0x[0-9a-f]{64}$/.test(hash) ? (hash as `0x${string}`) : undefined
}

/**
 * The payments of a transaction that reached a merchant here and no receipt, and those in tokens that are not accepted,
 * which are looked for on the chain. Money that a receipt has, that was decided
 * about, or that never came here is equally nothing: the answer tells nobody whose it is.
 */
export async function findClaimable(
  needs: FindClaimableNeeds,
  hash: string,
  host: string | undefined,
): Promise<ClaimablePayment[]> {
  const rows = await listShownRows(needs, hash, host)
  const found = rows.length > 0 ? rows : await listShownUnlisted(needs, hash, host)
  return found.map((row) => viewClaimable(needs, row))
}

/** What of a transaction came in tokens that are not accepted, at the addresses of its merchant's brand. */
export async function listShownUnlisted(
  needs: FindClaimableNeeds,
  hash: string,
  host: string | undefined,
): Promise<(UnlistedLog & { readonly at: number })[]> {
  const txHash = parseTransactionHash(hash)
  const shown: (UnlistedLog & { readonly at: number })[] = []
  for (const log of txHash ? await findUnlisted(needs, txHash) : [])
    if (await isShownAt(needs.db, (await findBrandOfMerchant(needs.db, log.merchant)).key, host))
      shown.push({ ...log, at: log.block.at })
  return shown
}

/** One of them with what only the service may know; `undefined` where it may not be claimed. */
export async function findClaimableRow(
  needs: FindClaimableNeeds,
  asked: { readonly transactionHash: string; readonly logIndex: number; readonly host: string | undefined },
): Promise<ClaimableRow | undefined> {
  const rows = await listShownRows(needs, asked.transactionHash, asked.host)
  return rows.find(({ logIndex }) => logIndex === asked.logIndex)
}

/** A payment as everybody may see it. */
export function viewClaimable(
  { chain }: Pick<FindClaimableNeeds, 'chain'>,
  row: Omit<ClaimableRow, 'merchant' | 'id'>,
): ClaimablePayment {
  const token = chain.tokens.find(({ address }) => address === row.tokenAddress)
  const { source } = row
  return {
    transactionHash: row.txHash,
    logIndex: row.logIndex,
    token: token?.symbol ?? null,
    tokenAddress: row.tokenAddress,
    tokenName: row.unlisted?.name ?? null,
    decimals: token?.decimals ?? row.unlisted?.decimals ?? 0,
    amount: row.amount.toString(),
    payer: row.payer ?? null,
    // A call names its reference here, which is no address.
    to: source?.length === 42 ? source : null,
    at: row.at,
  }
}

/** Of a brand's own merchants at its own addresses, as with receipts. */
async function listShownRows(
  { db, chain }: FindClaimableNeeds,
  hash: string,
  host: string | undefined,
): Promise<ClaimableRow[]> {
  const txHash = parseTransactionHash(hash)
  if (!txHash) return []
  const rows: ClaimableRow[] = []
  for (const merchant of await listOwners(db, chain.id, txHash, shownAtMost))
    if (await isShownAt(db, (await findBrandOfMerchant(db, merchant)).key, host))
      rows.push(...(await listClaimable(db, merchant, { chain: chain.id, txHash }, shownAtMost)))
  return rows.toSorted((a, b) => a.logIndex - b.logIndex).slice(0, shownAtMost)
}
