import type { Input, Option } from '../command.ts'
import { readObject } from '../parse-arguments.ts'

/** What everything that makes a receipt may be given beside what is sold. */
export const receiptOptions: Readonly<Record<string, Option>> = {
  webhook: { value: 'URL', help: 'where status changes are told' },
  return: { value: 'URL', help: 'where the buyer goes after a successful payment' },
  email: { value: 'TEXT', help: "the buyer's e-mail" },
  reference: { value: 'TEXT', help: 'your own reference; comes back in webhooks' },
  metadata: { value: 'JSON', help: 'an object of your own; comes back in webhooks' },
}

/** {@link receiptOptions} as the API takes them. */
export function readOptions(input: Input) {
  const metadata = input.text('metadata')
  return {
    webhook_url: input.text('webhook'),
    returnUrl: input.text('return'),
    billingEmail: input.text('email'),
    transactionId: input.text('reference'),
    metadata: metadata === undefined ? undefined : readObject(metadata, '--metadata'),
  }
}
