import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import {
  webhookDailyMs,
  webhookGiveUpMs,
  webhookRetryMs,
  webhookScheduleMs,
} from '@sluice/protocol/webhook.ts'

/** What follows a failed attempt. */
export type NextStep =
  | { readonly kind: 'again'; readonly at: UnixMs; readonly startsCycle: boolean }
  | { readonly kind: 'exhausted' }

/**
 * When a notice is tried next, its attempt number `attempt` (from 1) having failed at `failedAt`.
 *
 * The first two attempts are one cycle; each later one is a cycle of its own on the
 * reconciliation schedule, the last of them when the notice is ten days old.
 */
export function nextStep(attempt: number, createdAt: UnixMs, failedAt: UnixMs): NextStep {
  if (attempt === 1) return { kind: 'again', at: addMs(failedAt, webhookRetryMs), startsCycle: false }
  const giveUpAt = addMs(createdAt, webhookGiveUpMs)
  if (failedAt >= giveUpAt) return { kind: 'exhausted' }
  const at = addMs(failedAt, webhookScheduleMs[attempt - 2] ?? webhookDailyMs)
  return { kind: 'again', at: at < giveUpAt ? at : giveUpAt, startsCycle: true }
}
