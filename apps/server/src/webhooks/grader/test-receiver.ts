import {
  sampleWebhookBody,
  type WebhookBody,
  webhookIdempotencyKey,
} from '@sluice/protocol/api/webhook-body.ts'
import type { ReceiverReport } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { webhookAnswerBytes, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { signedHeaders } from '../sign.ts'
import { judgePace, judgeTrial, receiverRules, skipCheck, type Trial } from './receiver-checks.ts'

/** Waited longer than a delivery does, so that an answer which comes too late is told from none. */
const patienceMs = webhookTimeoutMs + 1_000
const staleMs = 3_600_000

/** Whom a test goes to, for whom, and the key that signs it. */
export type TestTarget = {
  readonly url: string
  readonly merchant: Wallet
  readonly apiKey: string
  readonly brandKey: string
}

type Name = keyof typeof receiverRules

/** What one delivery of the test says, and where it is not as it should be. */
type Sending = { readonly body: WebhookBody; readonly apiKey: string; readonly ageMs: number }

/**
 * Grades a receiver: sends it a valid delivery, then the ones it must take and the ones it must refuse, and
 * names each fault. They tell of a receipt that does not exist, marked by `metadata.test`.
 *
 * Where the valid one is not taken the others would say nothing and are skipped; at the first silence the
 * test ends. It cannot see whether a late failure undid the payment: the report says what was sent.
 */
export async function testReceiver(
  needs: { clock: Clock; random: Random; outbound: Outbound },
  target: TestTarget,
): Promise<ReceiverReport> {
  const receiptId = `webhook-test-${generateId(needs.clock.now(), needs.random)}`
  const sendings = prepare(needs, target, receiptId)
  const checks: ReceiverReport['checks'] = []
  const paces: number[] = []
  let isOver = false
  for (const name of Object.keys(receiverRules) as Name[]) {
    if (isOver) {
      checks.push(skipCheck(name))
      continue
    }
    const trial = await send(needs, target, sendings[name])
    const check = judgeTrial(name, trial)
    checks.push(check)
    if (trial.outcome.kind === 'answer' && receiverRules[name].wants === 'success')
      paces.push(trial.durationMs)
    const isSilent = trial.outcome.kind === 'fault' || trial.durationMs > webhookTimeoutMs
    isOver = isSilent || (name === 'valid_delivery' && check.result === 'failed')
  }
  checks.push(judgePace(paces.length > 0 ? Math.max(...paces) : undefined))
  const faults = [...new Set(checks.flatMap(({ fault }) => fault ?? []))]
  return { ok: faults.length === 0, url: target.url, receiptId, faults, checks }
}

function prepare(
  needs: { clock: Clock; random: Random },
  target: TestTarget,
  receiptId: string,
): Record<Name, Sending> {
  const at = needs.clock.now()
  const hash = `0x${Buffer.from(needs.random.bytes(32)).toString('hex')}`
  const say = (status: 'paid' | 'failed', sequence: number, more: object = {}): WebhookBody => ({
    ...sampleWebhookBody,
    idempotencyKey: webhookIdempotencyKey(receiptId, status, status === 'paid' ? hash : null),
    receiptId,
    status,
    transactionHash: status === 'paid' ? hash : null,
    buyerWallet: null,
    merchantWallet: target.merchant,
    totalUsd: 1,
    customerTotalUsd: 1,
    metadata: { test: true },
    brandKey: target.brandKey,
    timestamp: at,
    sequence,
    paymentState: status === 'paid' ? 'paid' : 'none',
    ...more,
  })
  const plain = { apiKey: target.apiKey, ageMs: 0 }
  const paid = say('paid', 3)
  return {
    valid_delivery: { ...plain, body: paid },
    duplicate: { ...plain, body: paid },
    out_of_order: { ...plain, body: say('failed', 2, { timestamp: at - 60_000 }) },
    unknown_field: { ...plain, body: say('paid', 3, { addedInAnotherRelease: { nested: [1, 'zwei'] } }) },
    bad_signature: {
      ...plain,
      body: paid,
      apiKey: `${target.apiKey.slice(0, 8)}${randomUuid(needs.random)}`,
    },
    stale_time: { ...plain, body: say('paid', 3, { timestamp: at - staleMs }), ageMs: staleMs },
  }
}

async function send(
  needs: { clock: Clock; random: Random; outbound: Outbound },
  target: TestTarget,
  sending: Sending,
): Promise<Trial> {
  const { clock, random, outbound } = needs
  const startedAt = clock.now()
  const body = JSON.stringify(sending.body)
  const notice = {
    id: randomUuid(random),
    brandKey: target.brandKey,
    deliveryId: randomUuid(random),
    idempotencyKey: sending.body.idempotencyKey,
    body,
  }
  const stamp = (startedAt - sending.ageMs) as typeof startedAt
  const outcome = await outbound.request({
    method: 'POST',
    url: target.url,
    headers: signedHeaders(notice, sending.apiKey, stamp),
    body,
    timeoutMs: patienceMs,
    maxResponseBytes: webhookAnswerBytes,
    isBodyOptional: true,
  })
  return { outcome, durationMs: Math.max(0, clock.now() - startedAt) }
}
