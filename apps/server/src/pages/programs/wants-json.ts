import type { IncomingHttpHeaders } from 'node:http'

/** How much a media type is wanted, from 0 to 1; `undefined` where it is not named. */
function weightOf(accept: string, type: string): number | undefined {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    if (name !== type) continue
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2)
    const value = weight === undefined ? 1 : Number(weight)
    return value >= 0 && value <= 1 ? value : 0
  }
  return undefined
}

/**
 * Whether a payment URL was asked for by a program: it brings a payment, or names JSON and does not like a page as much.
 * Everybody else gets the page, also who takes anything: a link preview, for one.
 */
export function wantsJson(headers: Readonly<IncomingHttpHeaders>): boolean {
  if (headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined) return true
  // Longer than any that is meant; what is beyond is not read.
  const accept = (headers.accept ?? '').slice(0, 1_000)
  const json = weightOf(accept, 'application/json') ?? 0
  return json > 0 && json > (weightOf(accept, 'text/html') ?? 0)
}
