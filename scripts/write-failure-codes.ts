import {
  type Failure,
  type FailureCategory,
  failures,
  type RetryAdvice,
} from '@sluice/protocol/failure-catalogue.ts'
import { writeOrCheck } from './source/write-or-check.ts'

const head = `# Failure codes

\`node scripts/write-failure-codes.ts\` generates this page, and \`npm run check\` reports an outdated page.
\`GET /api/failure-codes\` returns the same catalog as JSON, without a key.

For a failed receipt, \`GET /api/receipts/status\` and webhooks contain \`failureCode\` with its category, reason and
action. For every other receipt, these fields are null. The code belongs to the payment attempt that failed: a failure
of another attempt, or one that is older than a payment, has no effect. \`providerErrorCode\` and \`providerRequestId\`
contain the payment provider's values, from its signed events or from the server's own observation; otherwise, they are
null. If the cause is unknown, the code is \`PORTAL_PAYMENT_FAILED\`.

Codes are for programs and do not change. The reason and the action are for people and can change.
`

const titles: Readonly<Record<FailureCategory, string>> = {
  card_decline: 'declined by the card or its bank',
  compliance: 'blocked, or verification required',
  limits: 'amount too large or too small',
  blockchain: 'problems on the chain or in the wallet',
  session: 'checkout closed, expired or cancelled',
  system: 'technical problems',
}

const advice: Readonly<Record<RetryAdvice, string>> = {
  yes: 'helps',
  after_action: 'helps after the action',
  no: 'does not help',
}

writeOrCheck({ 'docs/reference/failure-codes.md': writeDocument() })

function writeDocument(): string {
  const all = Object.entries(failures) as [string, Failure][]
  const parts = (Object.keys(titles) as FailureCategory[]).map((category) => {
    const rows = all.filter(([, failure]) => failure.category === category).map(writeRow)
    return `\n## \`${category}\`: ${titles[category]}\n\n| Code | Reason | Action | Retry | Provider codes |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return head + parts.join('')
}

function writeRow([code, { reason, action, retry, providerCodes }]: [string, Failure]): string {
  const codes = providerCodes.map((providerCode) => `\`${providerCode}\``).join(', ')
  return `| \`${code}\` | ${reason} | ${action} | ${advice[retry]} | ${codes} |`
}
