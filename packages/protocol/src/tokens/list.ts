import { cbbtc } from './cbbtc.ts'
import { cbxrp } from './cbxrp.ts'
import { eth } from './eth.ts'
import type { TokenKind } from './token.ts'
import { usdc } from './usdc.ts'
import { usdt } from './usdt.ts'

/** Every token Sluice can take, in the order the checkout offers them. */
export const tokenKinds: readonly TokenKind[] = [usdc, usdt, eth, cbbtc, cbxrp]
