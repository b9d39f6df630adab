export type TokenFacts = {
  /** Display name only. Chain and address identify a token. */
  readonly symbol: string
  readonly name: string
  /** Decimals of the base unit. Pinned, and compared with the contract at startup. */
  readonly decimals: number
  /** Whether the token counts as exactly one dollar. */
  readonly isStablecoin: boolean
  /**
   * Asset whose dollar price applies. A wrapped token has the price of its underlying asset, redeemable one
   * to one.
   */
  readonly pricedAs: string
  readonly notQuotedBy?: readonly string[]
  readonly local: {
    readonly usdE8: bigint
    readonly purse: number
  }
  /** Usual EIP-712 domain, if the token accepts signatures. A payment counts on it only if the contract has it. */
  readonly signing?: { readonly name: string; readonly version: string } | undefined
}
