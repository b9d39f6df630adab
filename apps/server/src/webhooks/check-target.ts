import { judgeTarget, type TargetFault } from '../platform/outbound/make-connector.ts'

/** The longest webhook URL taken. */
export const maxWebhookUrlLength = 2_048

/** Why a text is no webhook URL. */
export type WebhookUrlFault = TargetFault | 'too-long'

/**
 * The URL a merchant wants to be told at, or why it cannot be: https without credentials at a public
 * host; in development also http and this machine.
 *
 * A name that passes is looked up only when something is sent, and judged again then.
 */
export function parseWebhookUrl(text: string, rules: { isProduction: boolean }): URL | WebhookUrlFault {
  if (text.length > maxWebhookUrlLength) return 'too-long'
  return judgeTarget(text, webhookTargets(rules))
}

/** What the deliveries of this deployment may connect to. */
export function webhookTargets(rules: { isProduction: boolean }) {
  return rules.isProduction
    ? ({ targets: 'public', allowHttp: false } as const)
    : ({ targets: 'any', allowHttp: true } as const)
}
