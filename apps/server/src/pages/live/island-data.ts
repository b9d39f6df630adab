import type { Panel } from '../panels/panel.ts'

/** What the checkout's script has to know to let a wallet pay; everything else is in the page. */
export type IslandOffer = {
  readonly chain: {
    readonly id: number
    readonly name: string
    /** For wallets that do not know the chain. */
    readonly rpcUrl: string | null
    readonly explorerUrl: string | null
    /** What gas is paid in. */
    readonly coin: { readonly name: string; readonly symbol: string; readonly decimals: number }
  }
  readonly token: {
    readonly symbol: string
    readonly decimals: number
    /** How many decimals are written at least. */
    readonly minDecimals: number
    /** The contract; null for the chain's own coin. */
    readonly address: string | null
  }
  /** To pay by the payer's signature in the place of an approval (EIP-2612); null where the token takes none. */
  readonly permit: {
    /** The version in the token's EIP-712 domain. */
    readonly version: string
    /** Who may take the amount, and is called: the split. */
    readonly spender: string
    /** Unix seconds, as text. */
    readonly deadline: string
    /** The call but for its last three words: v, r and s of the signature. */
    readonly data: string
  } | null
  /**
   * The script that pays by one signature, where it asks for the message and where it hands it in; null where that is
   * not offered.
   */
  readonly signing: {
    readonly script: string
    readonly requestPath: string
    readonly submitPath: string
    /** Whom the payer has to have approved for the amount before; null where a signature is enough. */
    readonly approved: string | null
  } | null
  readonly attemptId: string
  /** Base units still to be paid. */
  readonly amount: string
  /** Base units that had arrived when this was rendered. */
  readonly received: string
  readonly calls: readonly IslandCall[]
  /** Where to ask for the calls of a payer whose address is known: what is allowed already is left out of them. */
  readonly attemptsPath: string
}

/** One transaction for the wallet to sign, ready made. */
export type IslandCall = {
  readonly kind: 'approve' | 'pay' | 'transfer'
  readonly to: string
  readonly data: string
  readonly value: string
}

/** What an open page is told whenever it changes. */
export type LiveStatus = {
  /** Another value: what the page shows is no longer so, and it fetches itself anew. */
  readonly version: string
  readonly panel: Panel
  readonly confirmations: number
  readonly requiredConfirmations: number
}
