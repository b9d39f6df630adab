import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { entitlement, type Recipient } from '../split.ts'

const previewMs = 30 * 86_400_000

export type ChangePreview = {
  readonly from: UnixMs
  readonly to: UnixMs
  /** New recipients first, then removed ones. */
  readonly shares: readonly { address: Wallet; before: number; after: number }[]
  readonly tokens: readonly TokenPreview[]
}

export type TokenPreview = {
  readonly token: Token
  readonly units: bigint
  readonly payments: number
  readonly parts: readonly { address: Wallet; before: bigint; after: bigint }[]
}

export async function previewChange(
  needs: { db: Database; clock: Clock; chain: { id: number; tokens: readonly Token[] } },
  merchant: Wallet,
  before: readonly Recipient[],
  after: readonly Recipient[],
): Promise<ChangePreview> {
  const to = needs.clock.now()
  const from = addMs(to, -previewMs)
  const rows = await needs.db.rows(sums({ merchant, id: needs.chain.id, from }))
  const tokens = needs.chain.tokens.flatMap((token) => {
    const row = rows.find(({ tokenAddress }) => tokenAddress === token.address)
    return row ? [{ token, units: row.units, payments: Number(row.payments) }] : []
  })
  return { from, to, ...compareRecipients(before, after, tokens) }
}

/** Compares how both versions divide the same amount, with parts rounded down as in the contract. Pure. */
export function compareRecipients(
  before: readonly Recipient[],
  after: readonly Recipient[],
  tokens: readonly Pick<TokenPreview, 'token' | 'units' | 'payments'>[],
): Pick<ChangePreview, 'shares' | 'tokens'> {
  const addresses = [...new Set([...after, ...before].map(({ address }) => address))]
  const rowOf = (rows: readonly Recipient[], address: Wallet) => rows.find((row) => row.address === address)
  const part = (rows: readonly Recipient[], address: Wallet, units: bigint) => {
    const row = rowOf(rows, address)
    return row ? entitlement(units, row) : 0n
  }
  return {
    shares: addresses.map((address) => ({
      address,
      before: rowOf(before, address)?.sharesBps ?? 0,
      after: rowOf(after, address)?.sharesBps ?? 0,
    })),
    tokens: tokens.map((each) => ({
      ...each,
      parts: addresses.map((address) => ({
        address,
        before: part(before, address, each.units),
        after: part(after, address, each.units),
      })),
    })),
  }
}

const sums = statement({
  name: 'sum-late-split-arrivals',
  reads: { tokenAddress: text(), units: int8(), payments: int8() },
  text: `SELECT token_address, sum(amount) AS units, count(*) AS payments FROM split_arrival
    WHERE merchant = :merchant AND chain = :id AND block_at >= :from AND orphaned_at IS NULL GROUP BY token_address`,
})
