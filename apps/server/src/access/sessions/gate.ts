import { hostCookieName, sessionCookieName } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { SessionTokens } from './session-tokens.ts'

/** Settings that decide whom the service trusts: proxies, the gateway, origins and operators. */
export type Gate = {
  readonly tokens: SessionTokens
  readonly edgeSecret: string | undefined
  readonly gatewaySecret: string | undefined
  readonly trustedHops: number
  readonly isExternal: boolean
  readonly operators: ReadonlySet<Wallet>
  readonly isProduction: boolean
  readonly isSecure: boolean
  /** Returns whether an origin may write with a session: only `BASE_URL` or a brand's domain may. */
  isOwnOrigin(origin: string): boolean
}

/** Creates the gate from the settings. `isSecure` marks cookies as Secure in production and for https. */
export function makeGate(settings: {
  tokens: SessionTokens
  baseUrl: string
  isProduction: boolean
  edgeSecret: string | undefined
  gatewaySecret: string | undefined
  /** 1 if absent. */
  trustedHops?: number
  isExternal: boolean
  operators: readonly Wallet[]
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

export type OwnHostNeeds = {
  readonly gate: Pick<Gate, 'isOwnOrigin'>
  readonly site: { readonly baseUrl: string }
}

/**
 * Returns the host to include in a signed message, so that a signature for another site is invalid here.
 *
 * Returns the service's own host if a program sends no origin.
 *
 * @param what - Subject of the error message.
 * @throws {ApiError} `forbidden` for a page of another site.
 */
export function ownHost({ gate, site }: OwnHostNeeds, origin: string | undefined, what: string): string {
  if (origin === undefined) return new URL(site.baseUrl).host
  if (gate.isOwnOrigin(origin)) return new URL(origin).host
  throw new ApiError(
    'forbidden',
    `${what} are accepted only from pages of this service; check the Origin header`,
  )
}

export function sessionCookie(
  { isProduction, isSecure }: Pick<Gate, 'isProduction' | 'isSecure'>,
  token: string,
  { until, now }: { until: UnixMs; now: UnixMs },
): string {
  const name = isProduction ? hostCookieName : sessionCookieName
  const maxAge = Math.max(0, Math.floor((until - now) / 1000))
  return `${name}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

export function endedCookie(gate: Pick<Gate, 'isProduction' | 'isSecure'>): string {
  return sessionCookie(gate, '', { until: 0 as UnixMs, now: 0 as UnixMs })
}
