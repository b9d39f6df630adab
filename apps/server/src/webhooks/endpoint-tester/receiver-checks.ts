import type { ReceiverCheck, ReceiverError, ReceiverReport } from '@sluice/protocol/api/webhooks.ts'
import { webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import type { OutboundOutcome } from '../../platform/outbound/outbound.ts'

/** Slower responses fail a check, because under load they would exceed the delivery timeout. */
export const slowResponseMs = webhookTimeoutMs / 2

export type Trial = { readonly outcome: OutboundOutcome; readonly durationMs: number }

type Check = ReceiverReport['checks'][number]

type Rule = {
  readonly expected: string
  readonly error: ReceiverError
  readonly advice: string
  readonly wants: 'success' | 'rejection'
}

export const receiverRules: Readonly<Record<Exclude<ReceiverCheck, 'slow_answer'>, Rule>> = {
  valid_delivery: {
    wants: 'success',
    expected: '2xx within 5 seconds',
    error: 'valid_delivery_refused',
    advice:
      'Verify X-Service-Signature over the exact bytes received, using the API key as text, and respond with 2xx even if you do not know the receipt.',
  },
  duplicate: {
    wants: 'success',
    expected: '2xx when the same event is sent again',
    error: 'duplicate_refused',
    advice:
      'Store the idempotency key. If it arrives again, respond with 2xx without processing the event twice.',
  },
  out_of_order: {
    wants: 'success',
    expected: '2xx for an older event that arrives later',
    error: 'out_of_order_refused',
    advice:
      'Respond with 2xx and ignore the event. Of two events of a receipt, the event with the higher sequence is newer. A failure never undoes a payment.',
  },
  unknown_field: {
    wants: 'success',
    expected: '2xx for a body with an undocumented field',
    error: 'unknown_field_refused',
    advice: 'Ignore unknown fields: new fields will be added.',
  },
  bad_signature: {
    wants: 'rejection',
    expected: '4xx for a signature from another key',
    error: 'bad_signature_accepted',
    advice:
      'Compare the signature in constant time and reject mismatches: anyone can send requests to your endpoint.',
  },
  stale_time: {
    wants: 'rejection',
    expected: '4xx for a delivery signed an hour ago',
    error: 'stale_time_accepted',
    advice:
      'Reject deliveries whose X-Service-Timestamp (or webhook-timestamp, which is signed) is more than five minutes off; each genuine attempt has a new timestamp.',
  },
}

export function evaluateTrial(name: keyof typeof receiverRules, trial: Trial): Check {
  const rule = receiverRules[name]
  const { outcome, durationMs } = trial
  const status = outcome.kind === 'response' ? outcome.status : null
  const check = { name, expected: rule.expected, status, durationMs }
  const fail = (error: ReceiverError, advice: string): Check => ({
    ...check,
    result: 'failed',
    error,
    advice,
  })

  if (outcome.kind === 'error') return fail(...evaluateSilence(outcome.error))
  if (durationMs > webhookTimeoutMs) return fail(...evaluateSilence('timeout'))
  if (outcome.status >= 300 && outcome.status < 400)
    return fail('redirects', 'Redirects are not followed. Use the final URL.')
  const isSuccess = outcome.status >= 200 && outcome.status < 300
  const isAsWanted = rule.wants === 'success' ? isSuccess : outcome.status >= 400 && outcome.status < 500
  if (!isAsWanted) return fail(rule.error, rule.advice)
  return { ...check, result: 'passed', error: null, advice: null }
}

export function evaluatePace(slowestMs: number | undefined): Check {
  const check = {
    name: 'slow_answer' as const,
    expected: `a response within ${slowResponseMs / 1000} seconds, half of the time limit`,
    status: null,
    durationMs: slowestMs ?? null,
  }
  if (slowestMs === undefined) return { ...check, result: 'skipped', error: null, advice: null }
  if (slowestMs <= slowResponseMs) return { ...check, result: 'passed', error: null, advice: null }
  const advice = 'Put the event into a queue, respond with 2xx immediately, and process the event afterwards.'
  return { ...check, result: 'failed', error: 'slow_answer', advice }
}

export function skipCheck(name: keyof typeof receiverRules): Check {
  const { expected } = receiverRules[name]
  return { name, expected, result: 'skipped', error: null, advice: null, status: null, durationMs: null }
}

function evaluateSilence(error: string): [ReceiverError, string] {
  if (error === 'refused-target')
    return ['target_refused', 'The host name resolves to an address that is not on the public internet.']
  if (error === 'timeout')
    return [
      'no_answer_in_time',
      'The endpoint did not respond within 5 seconds. Respond first, then process the event.',
    ]
  return [
    'unreachable',
    'The connection failed or the response was invalid. Check the host name, the port and the certificate.',
  ]
}
