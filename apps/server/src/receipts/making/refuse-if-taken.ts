import { Refusal } from '../../kernel/refusal.ts'
import type { Receipt } from '../receipt.ts'

/** @throws {Refusal} `receipt_exists` where other content may no longer take the receipt's place. */
export function refuseIfTaken(existing: Receipt): void {
  const state = existing.payment?.state ?? 'none'
  const isOpen = existing.status === 'pending' && existing.cancelledAt === undefined
  const isUntouched =
    isOpen && existing.providerSession === undefined && ['none', 'awaiting', 'expired'].includes(state)
  if (existing.format === 'legacy' && existing.origin === 'api' && isUntouched) return
  throw new Refusal('receipt_exists', `Receipt ${existing.id} already exists and can no longer be replaced`)
}
