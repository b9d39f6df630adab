import type { TextKey } from '../messages/catalogue.ts'

export function refundState({
  txHash,
  mark,
  error,
}: {
  readonly txHash: string | null
  readonly mark: 'tx_mined' | 'recipient_validated' | 'tx_mismatch' | null
  readonly error: string | null
}): { readonly key: TextKey; readonly sign: string; readonly look: string } {
  if (txHash === null) return { key: 'refund-state.recorded', sign: '✎', look: 'text-dim' }
  if (mark === 'recipient_validated') return { key: 'refund-state.verified', sign: '✓', look: 'text-good' }
  if (mark === 'tx_mismatch') return { key: 'refund-state.mismatch', sign: '✕', look: 'text-bad' }
  if (error !== null) return { key: 'refund-state.missing', sign: '✕', look: 'text-bad' }
  return {
    key: mark === 'tx_mined' ? 'refund-state.mined' : 'refund-state.sent',
    sign: '◔',
    look: 'text-wait',
  }
}
