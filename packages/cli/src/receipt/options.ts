import type { Input, Option } from '../command.ts'
import { readObject } from '../parse-arguments.ts'

export const receiptOptions: Readonly<Record<string, Option>> = {
  webhook: { value: 'URL', help: 'URL that receives status changes' },
  return: { value: 'URL', help: 'URL to which the buyer is redirected after a successful payment' },
  email: { value: 'TEXT', help: 'email address of the buyer' },
  reference: { value: 'TEXT', help: 'your own reference, returned in webhooks' },
  metadata: { value: 'JSON', help: 'your own JSON object, returned in webhooks' },
}

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
