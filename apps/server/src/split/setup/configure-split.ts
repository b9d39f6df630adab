import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { ApiError, type Issue, invalidInput, pathOf } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { findCurrentSplit } from '../find-split.ts'
import type { Recipient, Split, SplitDraft } from '../split.ts'
import { placeSplit } from '../split-address.ts'

export type PlatformFee = { readonly feeBps: Bps; readonly recipient: Wallet | undefined }

export type RecordSplit = (tx: Database, split: SplitDraft) => Promise<unknown>

export type RecipientInput = { readonly address: string; readonly sharesBps: number }

const maxRecipients = 50

export const firstVersion = 1n

/**
 * Creates the merchant's first split, with a predicted address. Safe to repeat.
 *
 * If the merchant already has a split, the split is kept and `idempotent` is true.
 *
 * See docs/contract.md#splits.
 *
 * @param input.recipients - The platform's share must equal its fee; if the platform is omitted, it is
 * appended. Without recipients, the merchant gets everything except the fee.
 * @param record - Called in the same transaction.
 * @throws {ApiError} `platform_recipient_not_configured`, `invalid_input`.
 */
export async function configureSplit(
  needs: { db: Database; clock: Clock; chain: Pick<Chain, 'id' | 'factory'>; platform: PlatformFee },
  merchant: Wallet,
  input: { recipients?: readonly RecipientInput[] | undefined },
  record: RecordSplit = async () => {},
): Promise<{ split: Split; idempotent: boolean }> {
  const { db, chain, platform } = needs
  const existing = await findCurrentSplit(db, merchant)
  if (existing) return { split: existing, idempotent: true }

  const recipients = decideRecipients(merchant, platform, input.recipients)
  const now = needs.clock.now()
  const made = await db.transaction(async (tx) => {
    const placed = await placeSplit(tx, chain.factory, {
      ...platformTerms(platform),
      merchant,
      version: firstVersion,
      chain: chain.id,
      recipients,
      state: 'in-force',
      effectiveAt: now,
      createdAt: now,
    })
    if (placed) await record(tx, placed)
    return placed
  })
  const split = await findCurrentSplit(db, merchant)
  assert(split, 'the split was stored, by this request or a concurrent one')
  return { split, idempotent: !made }
}

export function platformTerms({ feeBps, recipient }: PlatformFee) {
  return { feeBps, platformRecipient: feeBps > 0 ? recipient : undefined }
}

export function decideRecipients(
  merchant: Wallet,
  platform: PlatformFee,
  input: readonly RecipientInput[] | undefined,
): Recipient[] {
  const { feeBps } = platform
  if (feeBps > 0 && !platform.recipient) {
    throw new ApiError('platform_recipient_not_configured', 'PLATFORM_RECIPIENT is not configured')
  }
  const platformRow =
    feeBps > 0 && platform.recipient ? { address: platform.recipient, sharesBps: feeBps } : undefined
  if (!input) {
    if (!platformRow || platformRow.address === merchant)
      return [{ address: merchant, sharesBps: bps(10_000) }]
    return [{ address: merchant, sharesBps: bps(10_000 - feeBps) }, platformRow]
  }

  const recipients = parseRecipients(input)
  const total = recipients.reduce((sum, { sharesBps }) => sum + sharesBps, 0)
  const named = platformRow && recipients.find(({ address }) => address === platformRow.address)
  if (named && named.sharesBps !== feeBps)
    throw invalidInput({
      path: 'recipients',
      message: `must give the platform's ${named.address} exactly ${feeBps}, not ${named.sharesBps}`,
    })
  const expected = named ? 10_000 : 10_000 - feeBps
  if (total !== expected) {
    const rest = expected < 10_000 ? `: the platform gets the other ${feeBps}` : ''
    throw invalidInput({
      path: 'recipients',
      message: `must have shares that add up to ${expected}, not ${total}${rest}`,
    })
  }
  return platformRow && !named ? [...recipients, platformRow] : recipients
}

function parseRecipients(input: readonly RecipientInput[]): Recipient[] {
  if (input.length < 1 || input.length > maxRecipients)
    throw invalidInput({ path: 'recipients', message: `must be 1 to ${maxRecipients}` })
  const issues: Issue[] = []
  const recipients: Recipient[] = []
  const seen = new Set<Wallet>()
  for (const [i, { address: text, sharesBps }] of input.entries()) {
    const address = parseWallet(text)
    if (!address || address === nativeAddress)
      issues.push({ path: pathOf('recipients', i, 'address'), message: 'must be a wallet' })
    else if (seen.has(address))
      issues.push({ path: pathOf('recipients', i, 'address'), message: 'appears twice' })
    if (!Number.isInteger(sharesBps) || sharesBps < 1 || sharesBps > 10_000)
      issues.push({
        path: pathOf('recipients', i, 'sharesBps'),
        message: 'must be a whole number from 1 to 10000',
      })
    if (!address) continue
    seen.add(address)
    recipients.push({ address, sharesBps: bps(sharesBps) })
  }
  if (issues.length > 0) throw invalidInput(...issues)
  return recipients
}

function bps(value: number): Bps {
  return value as Bps
}
