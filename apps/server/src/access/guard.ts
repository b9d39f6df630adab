import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import { hashApiKey, isApiKey } from './api-key.ts'
import type { Access, Caller } from './caller.ts'
import { findKeyHolder, touchSubscription } from './store.ts'

const lastUsedStepMs = 60_000

/**
 * Who sent these headers and whether a route of this kind is open to them.
 *
 * Wallet headers and `x-subscription-id` are taken off first: the merchant is the key's, whatever a
 * client says. With a valid key, and on public routes, they have no effect at all.
 *
 * @throws {Refusal} `unauthorized` without a key or with a bad one; `forbidden` without the scope,
 * with a wrong edge secret, or where a wallet header is all there is.
 */
export async function guard(
  needs: { db: Database; clock: Clock; edgeSecret: string | undefined },
  access: Access,
  headers: IncomingHttpHeaders,
): Promise<{ caller: Caller; isFromEdge: boolean }> {
  const isFromEdge = checkEdge(needs.edgeSecret, headers)
  const saysWallet = 'x-wallet' in headers || 'wallet' in headers
  for (const name of strippedHeaders) delete headers[name]
  if (access.kind === 'public') return { caller: { kind: 'nobody' }, isFromEdge }
  const caller = await identify(needs, headers)
  if (caller.kind === 'nobody') {
    if (access.kind === 'key-or-public') return { caller, isFromEdge }
    if (saysWallet) {
      throw new Refusal(
        'forbidden',
        'Wallet headers are not accepted; send Ocp-Apim-Subscription-Key instead',
      )
    }
    throw new Refusal('unauthorized', 'Send your subscription key in the header Ocp-Apim-Subscription-Key')
  }
  if ('scope' in access && !caller.scopes.includes(access.scope)) {
    throw new Refusal('forbidden', `This subscription lacks the scope ${access.scope}`)
  }
  return { caller, isFromEdge }
}

const strippedHeaders = ['x-wallet', 'wallet', 'x-subscription-id', 'x-edge-secret'] as const

async function identify(
  needs: { db: Database; clock: Clock },
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  const key = sentKey(headers)
  if (key === undefined) return { kind: 'nobody' }
  const holder = isApiKey(key) ? await findKeyHolder(needs.db, hashApiKey(key)) : undefined
  if (!holder) throw new Refusal('unauthorized', 'The subscription key is not valid, or it was revoked')
  const { lastUsedAt, ...known } = holder
  const now = needs.clock.now()
  if (lastUsedAt === undefined || now - lastUsedAt >= lastUsedStepMs) {
    await touchSubscription(needs.db, holder.merchant, holder.subscriptionId, now)
  }
  return { kind: 'subscription', ...known }
}

function sentKey(headers: IncomingHttpHeaders): string | undefined {
  const subscriptionKey = single(headers['ocp-apim-subscription-key'])
  const apiKey = single(headers['x-api-key'])
  if (subscriptionKey !== undefined && apiKey !== undefined && subscriptionKey !== apiKey) {
    throw new Refusal('unauthorized', 'Ocp-Apim-Subscription-Key and x-api-key are both sent and differ')
  }
  return subscriptionKey ?? apiKey
}

function checkEdge(secret: string | undefined, headers: IncomingHttpHeaders): boolean {
  const sent = single(headers['x-edge-secret'])
  if (secret === undefined || sent === undefined) return false
  if (timingSafeEqual(digest(sent), digest(secret))) return true
  throw new Refusal('forbidden', 'The edge secret is wrong')
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
