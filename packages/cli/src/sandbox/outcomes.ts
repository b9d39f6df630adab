import type { FailureCode } from '@sluice/protocol/failures.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import type { ReceiptStatus } from '../../../sdk/src/sluice.ts'
import { usageError } from '../failure.ts'
import { suggest } from '../suggest.ts'

export type Outcome = {
  readonly form: Readonly<Record<string, string>>
  readonly becomes: readonly ReceiptStatus[]
  readonly code?: FailureCode
}

const card = (number: string) => ({ method: 'card', number })
const account = (number: string) => ({ method: 'bank', number })
const paid: readonly ReceiptStatus[] = ['paid', 'reconciled']

export const outcomes: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ['paid', { form: card(payingCard), becomes: paid }],
  ['ach-settled', { form: account('000123456789'), becomes: paid }],
  [
    'ach-returned',
    { form: account('000111111116'), becomes: ['failed'], code: 'PORTAL_PAY_INSUFFICIENT_FUNDS' },
  ],
  ...(Object.entries(failingCards) as [FailureCode, string][]).map(
    ([code, number]) => [nameOf(code), { form: card(number), becomes: ['failed'], code }] as const,
  ),
])

export function nameOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^portal-(pay-)?/, '')
}

/** @throws {CliFailure} with exit code 2. */
export function readOutcome(text: string): Outcome {
  const found = outcomes.get(nameOf(text))
  if (!found)
    throw usageError(
      `Unknown outcome '${text}'`,
      suggest(nameOf(text), [...outcomes.keys()]) ?? '`trigger` lists them.',
    )
  return found
}
