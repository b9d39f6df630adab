import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt, hexToString } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { count } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { findBrandOfMerchant, isShownAt } from '../../site/find-brand.ts'
import { findTargetsByDeposit, type Target } from '../attempts/targets.ts'
import type { FoundLog } from '../ledger/known-log.ts'
import { recogniseFound } from '../ledger/known-log-store.ts'
import { readPayer, readTransferLog } from '../ledger/transfer.ts'
import { recordUnmatched, type UnlistedToken } from '../ledger/unmatched.ts'
import { type ClaimableRow, listClaimable, listOwners } from './store.ts'

export type ClaimablePayment = {
  readonly transactionHash: string
  readonly logIndex: number
  readonly token: string | null
  readonly tokenAddress: string
  /** Self-declared name of an unlisted token. It is not trustworthy. */
  readonly tokenName: string | null
  readonly decimals: number
  /** Base units. */
  readonly amount: string
  readonly payer: string | null
  readonly to: string | null
  readonly at: number
}

export type FindClaimableNeeds = FindUnlistedNeeds

const shownAtMost = 20

export function parseTransactionHash(text: string): `0x${string}` | undefined {
  const hash = text.trim().toLowerCase()
  return /^0x[0-9a-f]{64}$/.test(hash) ? (hash as `0x${string}`) : undefined
}

/**
 * Returns the claimable payments in a transaction. All other transactions yield the same empty list, so that
 * the result does not reveal who owns an address.
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

export async function findClaimableRow(
  needs: FindClaimableNeeds,
  asked: { readonly transactionHash: string; readonly logIndex: number; readonly host: string | undefined },
): Promise<ClaimableRow | undefined> {
  const rows = await listShownRows(needs, asked.transactionHash, asked.host)
  return rows.find(({ logIndex }) => logIndex === asked.logIndex)
}

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
    // The source of a call is its reference, which is not an address.
    to: source?.length === 42 ? source : null,
    at: row.at,
  }
}

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

type FindUnlistedNeeds = {
  readonly db: Database
  readonly chain: Pick<Chain, 'id' | 'tokens' | 'findReceipt' | 'findHeader' | 'readHead' | 'callMany'>
}

type UnlistedLog = FoundLog & { readonly target: Target; readonly unlisted: UnlistedToken }

const readAtMost = 20
/** Limit per receipt: a stranger could send thousands of worthless tokens to its address. */
const keptAtMost = 5

/**
 * Finds transfers of unlisted tokens to deposit addresses in a final transaction. Runs only on request,
 * because most such transfers are spam.
 *
 * @throws {ChainUnavailable}
 */
async function findUnlisted({ db, chain }: FindUnlistedNeeds, txHash: Hex): Promise<UnlistedLog[]> {
  const receipt = await chain.findReceipt(txHash)
  if (!receipt?.isSuccess || receipt.blockNumber > (await chain.readHead()).final.number) return []
  const header = await chain.findHeader(receipt.blockNumber)
  const agreed = await chain.findReceipt(txHash, receipt.blockNumber)
  if (!header || agreed?.blockHash !== header.hash) return []
  const block = { number: header.number, hash: header.hash, at: header.at }
  const accepted = new Set<string>(chain.tokens.map(({ address }) => address))
  const transfers = agreed.logs
    .filter(({ address }) => !accepted.has(address))
    .flatMap((log) => readTransferLog(log, block) ?? [])
    .flatMap((transfer) => (transfer.kind === 'transfer' && transfer.amount > 0n ? [transfer] : []))
    .slice(0, readAtMost)
  const addresses = transfers.map(({ depositAddress }) => depositAddress)
  const targets = await findTargetsByDeposit(db, chain.id, [...new Set(addresses)])
  const ours = transfers.flatMap((transfer) => {
    const target = targets.find(({ depositAddress }) => depositAddress === transfer.depositAddress)
    return target ? [{ transfer, target }] : []
  })
  const tokens = await describeTokens(chain, [...new Set(ours.map(({ transfer }) => transfer.tokenAddress))])
  return ours.map(({ transfer, target }) => {
    const { txHash: hash, logIndex, address, kind, depositAddress: source, tokenAddress, amount } = transfer
    return {
      ...{ txHash: hash, logIndex, address, kind, source, tokenAddress, amount, block },
      merchant: target.merchant,
      payer: readPayer(transfer),
      target,
      unlisted: tokens.get(tokenAddress) ?? unnamed,
    }
  })
}

export async function keepUnlisted(
  needs: { readonly db: Database; readonly clock: Clock; readonly random: Random },
  chain: number,
  log: UnlistedLog,
): Promise<void> {
  const { merchant, receiptId } = log.target
  await needs.db.transaction(async (tx) => {
    // The lock serializes concurrent claims, so that the count is exact.
    await lockReceipt(tx, merchant, receiptId)
    const kept = await tx.row(countKept({ merchant, chain, receiptId }))
    if ((kept?.count ?? 0) >= keptAtMost) return
    const { fresh } = await recogniseFound(tx, chain, [log])
    const entries = fresh.map((each) => ({ ...each, receiptId, reason: 'unlisted-token' as const }))
    await recordUnmatched({ ...needs, tx }, chain, entries, needs.clock.now())
  })
}

const unnamed: UnlistedToken = { name: undefined, decimals: 0 }
const symbolCall: Hex = '0x95d89b41'
const decimalsCall: Hex = '0x313ce567'
const mostDecimals = 36n

async function describeTokens(
  chain: Pick<Chain, 'callMany'>,
  tokens: readonly Wallet[],
): Promise<Map<Wallet, UnlistedToken>> {
  if (tokens.length === 0) return new Map()
  const responses = await chain.callMany(
    tokens.flatMap((to) => [
      { to, data: symbolCall },
      { to, data: decimalsCall },
    ]),
  )
  const dataOf = (i: number) => {
    const response = responses[i]
    return response?.ok ? response.data : '0x'
  }
  return new Map(
    tokens.map((token, i) => {
      const decimals = dataOf(2 * i + 1)
      const said = decimals.length === 66 ? hexToBigInt(decimals) : 0n
      return [token, { name: readName(dataOf(2 * i)), decimals: said <= mostDecimals ? Number(said) : 0 }]
    }),
  )
}

/** Reads a symbol that is encoded as a string or, in old tokens, as `bytes32`. Drops unsafe characters. */
function readName(data: Hex): string | undefined {
  const text = hexToString(data.length === 66 ? data : `0x${data.slice(2 + 128)}`)
  return text.replace(/[^A-Za-z0-9.$₮-]/g, '').slice(0, 12) || undefined
}

const countKept = statement({
  name: 'count-unlisted-payments',
  reads: { count: count() },
  text: `SELECT count(*) AS count FROM unmatched_payment
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND reason = 'unlisted-token'`,
})
