import { type TargetError, validateTarget } from '../platform/outbound/make-connector.ts'

export const maxWebhookUrlLength = 2_048

export type WebhookUrlError = TargetError | 'too-long'

/**
 * Parses a webhook URL, or returns the reason for its rejection.
 *
 * Production requires https, a public host and no credentials. Development also accepts http and local hosts.
 * The host name is resolved and checked again at each send.
 *
 * See docs/contract.md#webhook-delivery.
 */
export function parseWebhookUrl(text: string, rules: { isProduction: boolean }): URL | WebhookUrlError {
  if (text.length > maxWebhookUrlLength) return 'too-long'
  return validateTarget(text, webhookTargets(rules))
}

/** Returns the addresses that deliveries may reach: only public ones over https in production. */
export function webhookTargets(rules: { isProduction: boolean }) {
  return rules.isProduction
    ? ({ targets: 'public', allowHttp: false } as const)
    : ({ targets: 'any', allowHttp: true } as const)
}
