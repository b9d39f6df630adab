import type { Wallet } from '@sluice/protocol/wallet.ts'

/** What an Idempotency-Key stands for: one key of one merchant on one path. */
export type KeyedRequest = {
  readonly merchant: Wallet
  readonly method: string
  /** With its ids, without its query. */
  readonly path: string
  readonly key: string
  /** Of everything else that decides the answer: `hashRequest`. */
  readonly requestHash: string
  /** The answer shows a secret and is not kept. */
  readonly hasSecretAnswer: boolean
}

/** An answer as bytes on the wire: `body` is JSON, empty where there is none. */
export type PlainAnswer = { readonly status: number; readonly body: string }
