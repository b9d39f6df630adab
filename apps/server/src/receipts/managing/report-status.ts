import type { ReportStatusRequest } from '@sluice/protocol/api/receipts/status.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Actor, audit } from '../actor.ts'
import { changeStatusOf, type StatusChange } from '../change-status.ts'
import type { Receipt } from '../receipt.ts'
import { parseMerchantWallet, parseSentReceiptId } from '../refunds/log-refund.ts'
import type { TriggerKind } from '../status.ts'
import { lockReceipt } from '../store.ts'

export type StatusReport = {
  readonly receiptId: ReceiptId
  readonly wallet: Wallet
  readonly reason: string | undefined
} & (
  | { readonly kind: 'telemetry'; readonly value: string }
  | { readonly kind: 'sensitive'; readonly value: string }
)

const telemetry = new Set(['link_opened', 'buyer_logged_in', 'checkout_initialized', 'error'])
const onramp = /^onramp_[\x20-\x7e]{0,57}$/

/**
 * Parses a status report from a body that passed its schema.
 *
 * @throws {ApiError} `missing_receipt_id`, `invalid_wallet`, `missing_status`, in this order; `invalid_input`
 * for a malformed `onramp_` value.
 */
export function parseStatusReport(body: ReportStatusRequest): StatusReport {
  const receiptId = parseSentReceiptId(body.receiptId)
  const wallet = parseMerchantWallet(body.wallet)
  const { status: value, reason } = body
  if (typeof value !== 'string' || value === '')
    throw new ApiError('missing_status', 'Send the status in the field status')
  if (telemetry.has(value) || onramp.test(value))
    return { receiptId, wallet, reason, kind: 'telemetry', value }
  if (value.startsWith('onramp_'))
    throw invalidInput({ path: 'status', message: 'must be at most 64 printable ASCII characters' })
  return { receiptId, wallet, reason, kind: 'sensitive', value }
}

const triggers: Readonly<Record<string, TriggerKind>> = {
  checkout_success: 'checkout_success',
  refund_requested: 'refund_requested',
}

/**
 * Applies a status that an admin reports. The history records the actor and the reason. Reporting the current
 * status changes nothing.
 *
 * @param actorMerchant - Absent for the platform's operator, which can act for every merchant.
 * @param reopen - Called when a refund request is withdrawn: the receipt may be reconciled again.
 * @param needs.acceptLoss - Called when the checkout is accepted as successful: money lost in a reorg is no
 * longer awaited.
 * @throws {ApiError} `forbidden` for another merchant's wallet; `invalid_input` for an unknown value;
 * `not_found`.
 */
export async function changeReportedStatus(
  needs: {
    db: Database
    clock: Clock
    random: Random
    log: Log
    secrets: Secrets
    reopen: Reopen
    acceptLoss: AcceptLoss
  },
  actor: Actor & { readonly merchant: Wallet | undefined },
  report: StatusReport,
): Promise<StatusChange> {
  const { receiptId, wallet, value, reason } = report
  if (actor.merchant !== undefined && actor.merchant !== wallet)
    throw new ApiError('forbidden', 'This session belongs to another merchant')
  const kind = Object.hasOwn(triggers, value) ? triggers[value] : undefined
  if (!kind) {
    const known = Object.keys(triggers).join(', ')
    throw invalidInput({ path: 'status', message: `must be a telemetry status or one of ${known}` })
  }
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, wallet, receiptId)
    if (!before) throw new ApiError('not_found', 'Receipt not found')
    const detail = { isManual: true, by: actor.wallet, role: actor.role, why: reason ?? null }
    const change = await changeStatusOf({ ...needs, tx }, before, { kind, detail })
    const details = { status: value, why: reason ?? null, isMoved: change.kind === 'moved' }
    if (change.kind === 'moved' && change.from === 'refund_requested')
      await needs.reopen(tx, wallet, receiptId)
    if (kind === 'checkout_success') await needs.acceptLoss(tx, change.receipt, detail)
    const act = { merchant: wallet, action: 'receipt.status_reported', subject: receiptId, details } as const
    await audit({ ...needs, tx }, actor, act)
    return change
  })
}

export type Reopen = (tx: Database, merchant: Wallet, id: ReceiptId) => Promise<void>

export type AcceptLoss = (
  tx: Database,
  receipt: Receipt,
  detail: { readonly by: Wallet; readonly why: string | null },
) => Promise<unknown>
