import type { SessionChange } from '../../onramp/provider.ts'
import { judgeSessions, type SessionsVerdict } from './judge-sessions.ts'
import { foldChange, type OnrampSession } from './session.ts'

/** What a report makes of the sessions of a receipt. */
export type FoldedReport = {
  readonly sessions: readonly OnrampSession[]
  readonly changed: OnrampSession
  readonly verdict: SessionsVerdict
  /**
   * `time`: what is known was said again, of a later time. That is kept, since of two failures the later one counts,
   * and is no news to anybody.
   */
  readonly weight: 'nothing' | 'time' | 'news'
}

/** Folds a report into the one of a receipt's sessions that it is about, and judges them all together. Pure. */
export function foldReport(
  sessions: readonly OnrampSession[],
  before: OnrampSession,
  { sessionId, change }: { readonly sessionId: string | undefined; readonly change: SessionChange },
  currentAttempt: string | undefined,
): FoldedReport {
  const changed = { ...foldChange(before, change), sessionId }
  const after = sessions.map((each) => (each === before ? changed : each))
  const verdict = judgeSessions(after, currentAttempt)
  const folded = { sessions: after, changed, verdict }
  if (!saysSame(before, changed)) return { ...folded, weight: 'news' }
  if (isOfSameTime(before, changed)) return { ...folded, weight: 'nothing' }
  const isSameVerdict = textOf(judgeSessions(sessions, currentAttempt)) === textOf(verdict)
  return { ...folded, weight: isSameVerdict ? 'time' : 'news' }
}

/** Whether the same was said before, whenever it was. */
function saysSame(before: OnrampSession, after: OnrampSession): boolean {
  const keys = ['state', 'sessionId', 'transactionHash'] as const
  if (keys.some((key) => before[key] !== after[key])) return false
  if (before.source?.cents !== after.source?.cents) return false
  const { fault: one } = before
  const { fault: other } = after
  return one?.errorCode === other?.errorCode && one?.requestId === other?.requestId
}

function isOfSameTime(before: OnrampSession, after: OnrampSession): boolean {
  const isSameSource = before.source?.at === after.source?.at && before.source?.rank === after.source?.rank
  return before.changedAt === after.changedAt && isSameSource
}

function textOf(verdict: SessionsVerdict): string {
  return verdict.kind === 'open' ? verdict.kind : `${verdict.kind} ${verdict.by.reference}`
}
