import { type TargetError, validateTarget } from '../platform/outbound/make-connector.ts'

export const maxWebhookUrlLength = 2_048

export type WebhookUrlError = TargetError | 'too-long'

/**
 * Parses a webhook URL, or returns the reason for its rejection.
 *
 * In production, the URL must use https and a public host, and must not contain credentials. In development,
 * http and local hosts are also accepted. The host name is resolved and checked again for each send.
 *
 * See docs/contract.md#webhook-delivery.
 */
export function parseWebhookUrl(text: string, rules: { isProduction: boolean }): URL | WebhookUrlError {
  if (text.length > maxWebhookUrlLength) return 'too-long'
  return validateTarget(text, webhookTargets(rules))
}

/** Returns the addresses that deliveries may reach: only public addresses over https in production. */
export function webhookTargets(rules: { isProduction: boolean }) {
  return rules.isProduction
    ? ({ targets: 'public', allowHttp: false } as const)
    : ({ targets: 'any', allowHttp: true } as const)
}
