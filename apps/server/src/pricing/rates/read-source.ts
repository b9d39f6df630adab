import type { RateE8 } from '@sluice/protocol/money.ts'
import { divideHalfAway } from '@sluice/protocol/money.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'

const timeoutMs = 3_000
const maxBytes = 65_536

export async function readText(
  needs: { outbound: Outbound },
  url: string,
): Promise<{ readonly text: string } | { readonly error: string }> {
  const outcome = await needs.outbound.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json, text/xml', 'user-agent': 'sluice' },
    timeoutMs,
    maxResponseBytes: maxBytes,
  })
  if (outcome.kind === 'error') return { error: `${outcome.error}: ${outcome.detail}` }
  if (outcome.status !== 200) return { error: `status ${outcome.status}` }
  return { text: Buffer.from(outcome.body).toString() }
}

export async function readJson(
  needs: { outbound: Outbound },
  url: string,
): Promise<{ readonly json: unknown } | { readonly error: string }> {
  const response = await readText(needs, url)
  if ('error' in response) return response
  try {
    return { json: JSON.parse(response.text) }
  } catch {
    return { error: 'not JSON' }
  }
}

export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}

/**
 * Parses a plain decimal, rounded half away from zero to eight decimals. Returns `undefined` for any other
 * value: with a sign, an exponent, separators, or more than 12 digits before the point.
 */
export function parseRateE8(text: unknown): RateE8 | undefined {
  const match = typeof text === 'string' && /^(\d{1,12})(?:\.(\d{1,30}))?$/.exec(text)
  if (!match) return undefined
  const fraction = (match[2] ?? '').padEnd(8, '0')
  const digits = BigInt((match[1] ?? '') + fraction)
  return divideHalfAway(digits, 10n ** BigInt(fraction.length - 8)) as RateE8
}
