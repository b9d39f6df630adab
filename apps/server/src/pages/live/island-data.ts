import type { Panel } from '../panels/panel.ts'

export type IslandOffer = {
  readonly chain: {
    readonly id: number
    readonly name: string
    readonly rpcUrl: string | null
    readonly explorerUrl: string | null
    readonly coin: { readonly name: string; readonly symbol: string; readonly decimals: number }
  }
  readonly token: {
    readonly symbol: string
    readonly decimals: number
    readonly minDecimals: number
    /** Contract address, or null for the native coin. */
    readonly address: string | null
  }
  /** EIP-2612 permit instead of an approval, or null if the token does not support it. */
  readonly permit: {
    /** Version in the token's EIP-712 domain. */
    readonly version: string
    /** Address of the split, which is also the contract to call. */
    readonly spender: string
    /** Unix seconds, as text. */
    readonly deadline: string
    /** Call data without its last three words: v, r and s of the signature. */
    readonly data: string
  } | null
  /** Script and endpoints for payment with one signature, or null if not offered. */
  readonly signing: {
    readonly script: string
    readonly requestPath: string
    readonly submitPath: string
    /** Contract that needs the payer's prior approval, or null if a signature suffices. */
    readonly approved: string | null
  } | null
  readonly attemptId: string
  /** Base units still to be paid. */
  readonly amount: string
  /** Base units received at the time of rendering. */
  readonly received: string
  readonly calls: readonly IslandCall[]
  /** Endpoint for the calls of a known payer, which omit existing allowances. */
  readonly attemptsPath: string
}

export type IslandCall = {
  readonly kind: 'approve' | 'pay' | 'transfer'
  readonly to: string
  readonly data: string
  readonly value: string
}

export type LiveStatus = {
  /** Changes when the page must refresh. */
  readonly version: string
  readonly panel: Panel
  readonly confirmations: number
  readonly requiredConfirmations: number
}
