/** The brand of everything that is no partner's. */
export const ownBrandKey = 'service'

/** Lower-case words with single hyphens between them: `acme`, `acme-pay`. */
export const brandKeyPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'

/**
 * What stands for a brand in header names and in its agent: `Service` for `service`, `Acme-Pay` for `acme-pay`.
 *
 * Two keys never have the same word, whatever the case of header names.
 */
export function brandWord(key: string): string {
  const words = key.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return words.join('-')
}

/** What a brand's own webhook headers begin with: `X-Acme-`. */
export function webhookHeaderPrefix(key: string): string {
  return `X-${brandWord(key)}-`
}

/** The agent that delivers a brand's webhooks (contract: Events, Request headers). */
export function webhookAgent(key: string): string {
  return `${brandWord(key)}-Webhook/1.0`
}
