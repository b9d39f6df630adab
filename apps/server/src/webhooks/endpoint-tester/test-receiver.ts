import {
  sampleWebhookBody,
  type WebhookBody,
  webhookIdempotencyKey,
} from '@sluice/protocol/api/webhook-body.ts'
import type { ReceiverReport } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { webhookResponseBytes, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import { type Caller, merchantOf } from '../../access/caller.ts'
import { findSigningKey } from '../../access/keys/key-store.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import { parseWebhookUrl, type WebhookUrlError } from '../check-target.ts'
import { signedHeaders } from '../sign.ts'
import { evaluatePace, evaluateTrial, receiverRules, skipCheck, type Trial } from './receiver-checks.ts'

/** Longer than the delivery timeout, to distinguish a late response from a missing response. */
const patienceMs = webhookTimeoutMs + 1_000
const staleMs = 3_600_000

type TestTarget = {
  readonly url: string
  readonly merchant: Wallet
  readonly apiKey: string
  readonly brandKey: string
}

type Name = keyof typeof receiverRules

type Sending = { readonly body: WebhookBody; readonly apiKey: string; readonly ageMs: number }

/**
 * Tests a receiver with a valid delivery, then with deliveries to accept and deliveries to reject.
 *
 * All deliveries refer to a receipt that does not exist, and are marked with `metadata.test`. If the valid
 * delivery fails, or at the first timeout, the remaining checks are skipped. The test cannot detect whether
 * the receiver, after a late failure, undid a payment.
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
    const check = evaluateTrial(name, trial)
    checks.push(check)
    if (trial.outcome.kind === 'response' && receiverRules[name].wants === 'success')
      paces.push(trial.durationMs)
    const isSilent = trial.outcome.kind === 'error' || trial.durationMs > webhookTimeoutMs
    isOver = isSilent || (name === 'valid_delivery' && check.result === 'failed')
  }
  checks.push(evaluatePace(paces.length > 0 ? Math.max(...paces) : undefined))
  const errors = [...new Set(checks.flatMap(({ error }) => error ?? []))]
  return { ok: errors.length === 0, url: target.url, receiptId, errors, checks }
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
  const message = {
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
    headers: signedHeaders(message, sending.apiKey, stamp),
    body,
    timeoutMs: patienceMs,
    maxResponseBytes: webhookResponseBytes,
    isBodyOptional: true,
  })
  return { outcome, durationMs: Math.max(0, clock.now() - startedAt) }
}

/**
 * Resolves the URL and the signing key for a test: the key in the request, or the merchant's default key.
 *
 * @throws {ApiError} `invalid_input` if the URL is not a valid webhook URL or no key is active.
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
  const apiKey = needs.secrets.open(key.encryptedKey, apiKeyContext(merchant, key.keyId))
  return { url: url.href, merchant, apiKey, brandKey: await needs.receivers.brandKeyOf(merchant) }
}

const explanations: Readonly<Record<WebhookUrlError, string>> = {
  'too-long': 'must have at most 2048 characters',
  'not-a-url': 'must be a URL',
  'not-https': 'must begin with https://',
  'has-credentials': 'must not contain a user name or a password',
  'not-public': 'must resolve to a host on the public internet',
}

/**
 * Limits of concurrent tests in this process. The connection limit per host is the same, so no test waits.
 */
const testLimits = { perMerchant: 1, perHost: 4 } as const

const againAfterMs = 10_000

/** Limits concurrent tests, so that a merchant cannot block others or flood another party's host. */
export class RunningTests {
  readonly #clock: Pick<Clock, 'now'>
  readonly #running = new Set<{ readonly merchant: Wallet; readonly host: string }>()

  constructor(needs: { readonly clock: Pick<Clock, 'now'> }) {
    this.#clock = needs.clock
  }

  /**
   * Runs a test within the limits.
   *
   * @throws {ApiError} `rate_limited` if the merchant or the host has reached its limit.
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
      throw new ApiError('rate_limited', 'A test of a webhook endpoint is already running', {
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
