import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt, hexToString } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { count } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { findTargetsByDeposit, type Target } from '../attempts/targets.ts'
import type { FoundLog } from '../ledger/known-log.ts'
import { recogniseFound } from '../ledger/recognise-found.ts'
import { readPayer, readTransferLog } from '../ledger/transfer.ts'
import { recordUnmatched, type UnlistedToken } from '../ledger/unmatched.ts'

/** What looking for tokens that are not accepted leans on. */
export type FindUnlistedNeeds = {
  readonly db: Database
  readonly chain: Pick<Chain, 'id' | 'tokens' | 'findReceipt' | 'findHeader' | 'readHead' | 'callMany'>
}

/** A token that is not accepted, and that a transaction brought to a deposit address of ours. */
export type UnlistedLog = FoundLog & { readonly target: Target; readonly unlisted: UnlistedToken }

const readAtMost = 20
/** Of one receipt: whoever knows its address could send it a thousand tokens of his own. */
const keptAtMost = 5

/**
 * What a final transaction brought to deposit addresses in tokens that are not accepted. It is read when somebody asks
 * for it, and never otherwise: most such transfers are advertisements.
 *
 * @throws {ChainUnavailable}
 */
export async function findUnlisted({ db, chain }: FindUnlistedNeeds, txHash: Hex): Promise<UnlistedLog[]> {
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

/**
 * Puts such a payment into its merchant's inbox, for who asked wants it back. A few of one receipt; safe to repeat.
 */
export async function keepUnlisted(
  needs: { readonly db: Database; readonly clock: Clock; readonly random: Random },
  chain: number,
  log: UnlistedLog,
): Promise<void> {
  const { merchant, receiptId } = log.target
  await needs.db.transaction(async (tx) => {
    // Those who claim at once count one after the other.
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

/** What tokens say of themselves; nothing of it is to be believed. */
async function describeTokens(
  chain: Pick<Chain, 'callMany'>,
  tokens: readonly Wallet[],
): Promise<Map<Wallet, UnlistedToken>> {
  if (tokens.length === 0) return new Map()
  const answers = await chain.callMany(
    tokens.flatMap((to) => [
      { to, data: symbolCall },
      { to, data: decimalsCall },
    ]),
  )
  const dataOf = (i: number) => {
    const answer = answers[i]
    return answer?.ok ? answer.data : '0x'
  }
  return new Map(
    tokens.map((token, i) => {
      const decimals = dataOf(2 * i + 1)
      const said = decimals.length === 66 ? hexToBigInt(decimals) : 0n
      return [token, { name: readName(dataOf(2 * i)), decimals: said <= mostDecimals ? Number(said) : 0 }]
    }),
  )
}

/** The letters and digits of a symbol, as a text or, in old tokens, as 32 bytes; `undefined` where there are none. */
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
