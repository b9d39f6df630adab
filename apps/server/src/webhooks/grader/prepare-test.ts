import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Caller, merchantOf } from '../../access/caller.ts'
import { findSigningKey } from '../../access/keys/key-store.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import { parseWebhookUrl, type WebhookUrlFault } from '../check-target.ts'
import type { TestTarget } from './test-receiver.ts'

/**
 * Where a receiver's test goes and what it is signed with: the key that was sent or, in a session, the one
 * that signs what is made without a key.
 *
 * @throws {Refusal} `invalid_input` for a URL that no webhook could go to, or where no key is active.
 */
export async function prepareTest(
  needs: {
    db: Database
    secrets: Secrets
    receivers: { isProduction: boolean; brandKeyOf(merchant: Wallet): Promise<string> }
  },
  caller: Caller,
  text: string,
): Promise<TestTarget> {
  const url = parseWebhookUrl(text, needs.receivers)
  if (typeof url === 'string') throw invalidInput({ path: 'url', message: explanations[url] })
  const merchant = merchantOf(caller)
  const key = caller.kind === 'subscription' ? caller : await findSigningKey(needs.db, merchant)
  if (!key)
    throw invalidInput({ path: '', message: 'Create a subscription first: its key signs the webhooks' })
  const apiKey = needs.secrets.open(key.sealedKey, apiKeyContext(merchant, key.keyId))
  return { url: url.href, merchant, apiKey, brandKey: await needs.receivers.brandKeyOf(merchant) }
}

const explanations: Readonly<Record<WebhookUrlFault, string>> = {
  'too-long': 'must have at most 2048 characters',
  'not-a-url': 'must be a URL',
  'not-https': 'must begin with https://',
  'has-credentials': 'must not contain a user name or a password',
  'not-public': 'must resolve to a host on the public internet',
}
