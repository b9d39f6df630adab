import { hostCookieName, sessionCookieName } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Refusal } from '../../kernel/refusal.ts'
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

/** What knows our own pages. */
export type OwnHostNeeds = {
  readonly gate: Pick<Gate, 'isOwnOrigin'>
  readonly site: { readonly baseUrl: string }
}

/**
 * The host of the page that asks for something to be signed, so that a signature made for another site is good for
 * nothing here; ours, where a program asks.
 *
 * @param what - What is accepted from our own pages only, as the refusal calls it.
 * @throws {Refusal} `forbidden` for a page of another site.
 */
export function ownHost({ gate, site }: OwnHostNeeds, origin: string | undefined, what: string): string {
  if (origin === undefined) return new URL(site.baseUrl).host
  if (gate.isOwnOrigin(origin)) return new URL(origin).host
  throw new Refusal(
    'forbidden',
    `${what} are accepted from pages of this service only (check the Origin header)`,
  )
}

/** The Set-Cookie that carries a session's token: out of reach of scripts and of other sites. */
export function sessionCookie(
  { isProduction, isSecure }: Pick<Gate, 'isProduction' | 'isSecure'>,
  token: string,
  { until, now }: { until: UnixMs; now: UnixMs },
): string {
  const name = isProduction ? hostCookieName : sessionCookieName
  const maxAge = Math.max(0, Math.floor((until - now) / 1000))
  return `${name}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** The Set-Cookie that makes a browser forget its session. */
export function endedCookie(gate: Pick<Gate, 'isProduction' | 'isSecure'>): string {
  return sessionCookie(gate, '', { until: 0 as UnixMs, now: 0 as UnixMs })
}
