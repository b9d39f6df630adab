import type { OnrampProvider, SessionChangeKind, SessionOrder } from '../../src/onramp/provider.ts'

/** A session as its provider knows it. */
export type CardSession = {
  readonly id: string
  readonly receiptId: string
  readonly order: SessionOrder
  kind: SessionChangeKind
  /** Whether the provider ever promised to deliver. It may take that back. */
  isTaken: boolean
  /** Whether a bank payment was ever accepted. */
  isPending: boolean
  /** Each change that the provider made, the first one `opened`. */
  readonly changes: SessionChangeKind[]
  deliveryCount: number
  /** Whether the service opened it in a lost time, and does not know it any more. */
  isForgotten: boolean
}

/** A provider of card and bank payments, as the service and the checks see it. */
export type Cards = {
  readonly sessions: readonly CardSession[]
  /** Whether a buyer may open one more session. */
  readonly hasRoom: boolean
  /** The provider as a replica calls it. */
  connect(): OnrampProvider
  /** Ends what fails at the provider. */
  mend(): void
}
