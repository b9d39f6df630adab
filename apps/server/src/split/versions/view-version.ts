import type { RecipientProbe, SplitPreview, SplitVersionView } from '@sluice/protocol/api/split.ts'
import { type TokenUnits, writeTokenAmount } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { numberCursor, type PageQuery, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import { findCurrentSplit } from '../find-split.ts'
import type { Probe } from '../setup/probe-recipients.ts'
import { viewRecipients } from '../setup/view-split.ts'
import type { Split } from '../split.ts'
import type { ChangePreview, TokenPreview } from './preview-change.ts'
import { listVersionsBefore } from './store.ts'

export function viewVersion(split: Split, inForce: bigint | undefined, now: UnixMs): SplitVersionView {
  return {
    version: Number(split.version),
    address: split.address,
    recipients: viewRecipients(split.recipients),
    state: stateOf(split, inForce, now),
    deployed: split.deployedAt !== undefined,
    createdAt: split.createdAt,
    effectiveAt: split.effectiveAt,
    inForceAt: split.inForceAt ?? null,
    cancelledAt: split.cancelledAt ?? null,
  }
}

function stateOf(split: Split, inForce: bigint | undefined, now: UnixMs): SplitVersionView['state'] {
  if (split.state === 'cancelled') return 'cancelled'
  if (split.state === 'in-force') return split.version === inForce ? 'in_force' : 'past'
  return split.effectiveAt <= now && split.deployedAt === undefined ? 'awaiting_deployment' : 'scheduled'
}

export function viewPreview({ from, to, shares, tokens }: ChangePreview): SplitPreview {
  return {
    from,
    to,
    shares: shares.map(({ address, before, after }) => ({ address, beforeBps: before, afterBps: after })),
    tokens: tokens.map(viewToken),
  }
}

function viewToken({ token, units, payments, parts }: TokenPreview): SplitPreview['tokens'][number] {
  const write = (amount: bigint) => writeTokenAmount(amount as TokenUnits, token.decimals)
  return {
    currency: token.symbol,
    amount: write(units),
    amountRaw: units.toString(),
    payments,
    recipients: parts.map(({ address, before, after }) => ({
      address,
      before: write(before),
      beforeRaw: before.toString(),
      after: write(after),
      afterRaw: after.toString(),
      difference: write(after - before),
      differenceRaw: (after - before).toString(),
    })),
  }
}

export function viewProbe({ address, hasCode, acceptsNativeToken, warning }: Probe): RecipientProbe {
  return {
    address,
    hasCode: hasCode ?? null,
    acceptsEth: acceptsNativeToken ?? null,
    warning: warning ?? null,
  }
}

/** @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor from another list. */
export async function listVersionsPage(
  db: Database,
  merchant: Wallet,
  query: PageQuery,
): Promise<{ versions: Split[]; inForce: bigint | undefined; nextCursor: string | null }> {
  const { page: versions, nextCursor } = await readPage(query, numberCursor('version'), (before, count) =>
    listVersionsBefore(db, merchant, before?.version ?? 2n ** 62n, count),
  )
  const current = await findCurrentSplit(db, merchant)
  return { versions, inForce: current?.version, nextCursor }
}
