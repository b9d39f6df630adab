export const ownBrandKey = 'service'

export const brandKeyPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'

/**
 * Returns the brand in header names and user agents: `Service` for `service`, `Acme-Pay` for `acme-pay`.
 *
 * Distinct keys give distinct names, even if case is ignored.
 */
export function brandWord(key: string): string {
  const words = key.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return words.join('-')
}

export function webhookHeaderPrefix(key: string): string {
  return `X-${brandWord(key)}-`
}

export function webhookAgent(key: string): string {
  return `${brandWord(key)}-Webhook/1.0`
}
