import { bnb } from './bnb.ts'
import { cbbtc } from './cbbtc.ts'
import { cbxrp } from './cbxrp.ts'
import { eth } from './eth.ts'
import { pol } from './pol.ts'
import type { TokenFacts } from './token-facts.ts'
import { usdc } from './usdc.ts'
import { usdt } from './usdt.ts'

const list = [usdc, usdt, eth, pol, bnb, cbbtc, cbxrp] as const

export type TokenSymbol = (typeof list)[number]['symbol']

export type TokenKind = TokenFacts & { readonly symbol: TokenSymbol }

/** Supported tokens, in the order of the checkout. */
export const tokenKinds: readonly TokenKind[] = list

export const tokenSymbols: readonly TokenSymbol[] = list.map(({ symbol }) => symbol)
