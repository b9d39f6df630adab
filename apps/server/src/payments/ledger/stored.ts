import {
  count,
  group,
  int8,
  named,
  type Part,
  type Parts,
  text,
  time,
} from '../../platform/database/columns.ts'
import type { PaymentBlock, PaymentKey } from './payment.ts'
/** What a log or a movement of coin is told apart by, as it is stored. */
export const paymentKey: Parts<PaymentKey> = { txHash: text(), logIndex: count(), address: text() }

/** Where a payment stands on the chain, as it is stored. */
export const storedBlock: Part<PaymentBlock> = group({
  number: named('block_number', int8()),
  hash: named('block_hash', text()),
  at: named('block_at', time()),
})
