import {
  sampleWebhookBody,
  type WebhookBody,
  webhookIdempotencyKey,
} from '@sluice/protocol/api/webhook-body.ts'
import type { ReceiverReport } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { webhookAnswerBytes, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import { type Caller, merchantOf } from '../../access/caller.ts'
import { findSigningKey } from '../../access/keys/key-store.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import { invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import { parseWebhookUrl, type WebhookUrlFault } from '../check-target.ts'
import { signedHeaders } from '../sign.ts'
import { judgePace, judgeTrial, receiverRules, skipCheck, type Trial } from './receiver-checks.ts'

/** Waited longer than a delivery does, so that an answer which comes too late is told from none. */
const patienceMs = webhookTimeoutMs + 1_000
const staleMs = 3_600_000

/** Whom a test goes to, for whom, and the key that signs it. */
type TestTarget = {
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

/** How many tests of receivers may run at once in this process; a host has as many connections, and none waits for one. */
const testLimits = { perMerchant: 1, perHost: 4 } as const

/** About how long the test of a receiver that answers takes, however slowly. */
const againAfterMs = 10_000

/** The tests that are running: whoever repeats them keeps no others from theirs, and sends a stranger's host no flood. */
export class RunningTests {
  readonly #clock: Pick<Clock, 'now'>
  readonly #running = new Set<{ readonly merchant: Wallet; readonly host: string }>()

  constructor(needs: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = needs.clock
  }

  /**
   * Runs a test of a merchant's receiver.
   *
   * @throws {Refusal} `rate_limited` where as many as may be are running for the merchant, or at the host.
   */
  async run(
    target: { readonly merchant: Wallet; readonly url: string },
    test: () => Promise<ReceiverReport>,
  ): Promise<ReceiverReport> {
    const own = { merchant: target.merchant, host: new URL(target.url).host }
    const running = [...this.#running]
    const isFull =
      running.filter(({ merchant }) => merchant === own.merchant).length >= testLimits.perMerchant ||
      running.filter(({ host }) => host === own.host).length >= testLimits.perHost
    if (isFull)
      throw new Refusal('rate_limited', 'A test of a webhook endpoint is already running', {
        resetAt: this.#clock.now() + againAfterMs,
      })
    this.#running.add(own)
    try {
      return await test()
    } finally {
      this.#running.delete(own)
    }
  }
}
