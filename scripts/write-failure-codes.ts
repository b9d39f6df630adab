import {
  type Failure,
  type FailureCategory,
  failures,
  type RetryAdvice,
} from '@sluice/protocol/failure-catalogue.ts'
import { writeOrCheck } from './source/write-or-check.ts'

const head = `# Failure codes

Written by \`node scripts/write-failure-codes.ts\`; \`npm run check\` reports when it is out of date. The same
catalogue as JSON: \`GET /api/failure-codes\`, without a key.

A failed receipt carries a code in \`failureCode\`, with its category, reason and action, in \`GET
/api/receipts/status\` and in webhooks; for every other receipt these fields are null. The code belongs to the attempt that failed: a failure that is older than a payment, or of another attempt, changes nothing. What a
payment provider reported is in \`providerErrorCode\` and \`providerRequestId\`, from its signed events or from
the server's own observation; otherwise they are null. An unknown cause is \`PORTAL_PAYMENT_FAILED\`.

Codes are for programs and do not change. Reason and action are for people and may.
`

const titles: Readonly<Record<FailureCategory, string>> = {
  card_decline: 'declined by the card or its bank',
  compliance: 'not permitted, or not yet',
  limits: 'amount too large or too small',
  blockchain: 'on the chain or in the wallet',
  session: 'the checkout was closed',
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
