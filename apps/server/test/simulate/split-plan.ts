import type { Recipient } from '../../src/split/split.ts'

/** Recipients that a merchant wanted. */
export type SplitPlan = {
  readonly recipients: string
  /** Time before which no page may show them, by the clocks of the merchant. */
  readonly notBefore: number
  /** Whether the merchant was told that they will never get anything. */
  isCancelled: boolean
}

/** Recipients with a share as text, whatever their order. */
export function textOfRecipients(recipients: readonly Pick<Recipient, 'address' | 'sharesBps'>[]): string {
  return recipients
    .map(({ address, sharesBps }) => `${address}:${sharesBps}`)
    .sort()
    .join(' ')
}
