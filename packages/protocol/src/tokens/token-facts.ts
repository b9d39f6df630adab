/** Everything that is true of a token on every network: what its file under `tokens/` says. */
export type TokenFacts = {
  /** The text it is shown by. Display only: a token is known by chain and address. */
  readonly symbol: string
  readonly name: string
  /** Base units of one token are 10 to this power; pinned, never read from a contract. */
  readonly decimals: number
  /** Held to be worth one dollar: paid exactly, with no tolerance. */
  readonly isStablecoin: boolean
  /** The asset whose dollar price it has: a wrapped token is priced as what it can be redeemed for, one to one. */
  readonly pricedAs: string
  /** The rate sources, by name, that have no dollar price of it. */
  readonly notQuotedBy?: readonly string[]
  /** What the local chain makes of it. */
  readonly local: {
    /** Its price there, in dollars times 10^8. */
    readonly usdE8: bigint
    /** How many whole tokens the demo buyer is given. */
    readonly purse: number
  }
  /** Spends by an EIP-3009 authorization or an EIP-2612 permit with this EIP-712 domain. */
  readonly signing?: { readonly name: string; readonly version: string }
}
