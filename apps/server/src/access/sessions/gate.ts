import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { SessionTokens } from './session-tokens.ts'

/** What a deployment has decided about who gets in. */
export type Gate = {
  readonly tokens: SessionTokens
  readonly edgeSecret: string | undefined
  readonly gatewaySecret: string | undefined
  /** How many proxies stand between visitors and this process. */
  readonly trustedHops: number
  /** An outside gateway judges the keys and says which subscription it found. */
  readonly isExternal: boolean
  /** Wallets that may log in as the platform's operator. */
  readonly operators: ReadonlySet<Wallet>
  readonly isProduction: boolean
  /** Cookies are sent over TLS only. */
  readonly isSecure: boolean
  /** Where pages that may write with a session come from: `BASE_URL` and the brands' domains. */
  isOwnOrigin(origin: string): boolean
}

/** The gate of a configuration. */
export function makeGate(settings: {
  tokens: SessionTokens
  baseUrl: string
  isProduction: boolean
  edgeSecret: string | undefined
  gatewaySecret: string | undefined
  /** 1 where absent. */
  trustedHops?: number
  isExternal: boolean
  operators: readonly Wallet[]
  /** Whether pages of an origin are a partner brand's; none are where absent. */
  isBrandOrigin?: (origin: string) => boolean
}): Gate {
  const { tokens, edgeSecret, gatewaySecret, isExternal, isProduction, baseUrl } = settings
  const origin = new URL(baseUrl).origin
  return {
    tokens,
    edgeSecret,
    gatewaySecret,
    trustedHops: settings.trustedHops ?? 1,
    isExternal,
    operators: new Set(settings.operators),
    isProduction,
    isSecure: isProduction || baseUrl.startsWith('https:'),
    isOwnOrigin: (sent) => sent === origin || (settings.isBrandOrigin?.(sent) ?? false),
  }
}
