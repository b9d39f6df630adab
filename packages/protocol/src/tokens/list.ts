import { cbbtc } from './cbbtc.ts'
import { cbxrp } from './cbxrp.ts'
import { eth } from './eth.ts'
import type { TokenFacts } from './token-facts.ts'
import { usdc } from './usdc.ts'
import { usdt } from './usdt.ts'

const list = [usdc, usdt, eth, cbbtc, cbxrp] as const

/** The symbol of a token that Sluice can take. */
export type TokenSymbol = (typeof list)[number]['symbol']

/** What Sluice pins of a token before it takes a unit of it. */
export type TokenKind = TokenFacts & { readonly symbol: TokenSymbol }

/** Every token Sluice can take, in the order the checkout offers them. */
export const tokenKinds: readonly TokenKind[] = list

/** Their symbols, in the same order. */
export const tokenSymbols: readonly TokenSymbol[] = list.map(({ symbol }) => symbol)
