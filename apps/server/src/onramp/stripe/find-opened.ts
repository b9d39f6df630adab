import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { timeOfId } from '../../kernel/generate-id.ts'
import { type ProviderCall, ProviderUnavailable } from '../provider.ts'
import { type AskNeeds, askStripe } from './ask-stripe.ts'
import { metadataFields, sessionsPath } from './order-form.ts'
import { readList, type StripeSession } from './session-object.ts'

const hourMs = 3_600_000
/** Stripe may forget an idempotency key after 24 hours (docs.stripe.com/api/idempotent_requests). */
const keyLastsMs = 23 * hourMs
/** What fits into a call's time. */
const maxPages = 40

/**
 * The session that was opened under a reference so old that its key may be forgotten: Stripe's list has it. `undefined` where there is none, or where the key still finds it.
 */
export async function findOpened(
  needs: AskNeeds & { readonly clock: Clock },
  reference: string,
  { signal }: ProviderCall,
): Promise<StripeSession | undefined> {
  const began = timeOfId(reference)
  if (needs.clock.now() < addMs(began, keyLastsMs)) return undefined
  const query = new URLSearchParams({ limit: '100', 'created[gte]': seconds(addMs(began, -hourMs)) })
  for (let pages = 0; pages < maxPages; pages++) {
    const answer = await askStripe(needs, { method: 'GET', path: `${sessionsPath}?${query}` }, signal)
    const list = answer.kind === 'answer' ? readList(answer.body) : undefined
    if (!list) break
    const found = list.sessions.find(({ metadata }) => metadata?.[metadataFields.reference] === reference)
    if (found || list.lastId === undefined) return found
    query.set('starting_after', list.lastId)
  }
  throw new ProviderUnavailable('The payment provider cannot say whether the payment was begun')
}

function seconds(time: UnixMs): string {
  return String(Math.max(0, Math.floor(time / 1_000)))
}
