import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SessionChange } from '../../onramp/provider.ts'
import { decideStatus } from '../../receipts/status.ts'
import { evaluateSessions, mergeReport, shownSession, triggersOf } from './evaluate-sessions.ts'
import { isReversal, mergeChange, type OnrampSession } from './session.ts'

const session = (name: string, more: Partial<OnrampSession> = {}): OnrampSession => ({
  merchant: '0x' as Wallet,
  reference: name,
  receiptId: 'r' as ReceiptId,
  attemptId: `attempt-${name}`,
  provider: 'paper',
  sessionId: `session-${name}`,
  hostedUrl: undefined,
  clientAddress: undefined,
  state: 'opened',
  changedAt: 0 as UnixMs,
  error: undefined,
  source: undefined,
  transactionHash: undefined,
  openedAt: 0 as UnixMs,
  ...more,
})
const change = (kind: SessionChange['kind'], at = 1, more: Partial<SessionChange> = {}): SessionChange => ({
  kind,
  at: at as UnixMs,
  error: undefined,
  sourceCents: undefined,
  transactionHash: undefined,
  ...more,
})

type Reported = {
  readonly sessions: readonly OnrampSession[]
  readonly status: ReceiptStatus
  readonly cause: string
}
const current = 'attempt-b'
const start: Reported = { sessions: [session('a'), session('b')], status: 'pending', cause: '' }

function apply(applied: Reported, index: number, reported: SessionChange): Reported {
  const before = applied.sessions[index] as OnrampSession
  const report = { sessionId: before.sessionId, change: reported }
  const { sessions, verdict, weight } = mergeReport(applied.sessions, before, report, current)
  if (weight === 'nothing') return applied
  if (weight === 'time') return { ...applied, sessions }
  const status = triggersOf(verdict, applied.status).reduce((from, trigger) => {
    const moved = decideStatus(from, trigger)
    return moved.kind === 'move' ? moved.to : from
  }, applied.status)
  const by = verdict.kind === 'failed' && status === 'failed' ? `${verdict.by.error?.errorCode}` : ''
  return { sessions, status, cause: by }
}

function endOf({ sessions, status, cause }: Reported) {
  const verdict = evaluateSessions(sessions, current)
  const shown = shownSession(sessions, verdict)
  const states = sessions.map(({ state, error, source }) => [state, error, source?.cents])
  return { status, cause, states, shown: shown?.reference, source: shown?.source?.cents }
}

const stories = fc
  .constantFrom<SessionChange['kind'][]>(
    [],
    ['failed'],
    ['failed', 'failed'],
    ['failed', 'failed', 'failed'],
    ['accepted'],
    ['accepted', 'settled'],
    ['failed', 'accepted', 'settled'],
    ['ach_pending'],
    ['ach_pending', 'returned'],
    ['ach_pending', 'settled'],
    ['failed', 'ach_pending', 'returned'],
    ['ach_pending', 'returned', 'settled'],
  )
  .map((kinds) =>
    kinds.map((kind, i) => {
      const isOver = kind === 'failed' || kind === 'returned'
      return change(kind, i + 1, {
        error: isOver ? { errorCode: `code_${i % 2}`, requestId: null } : undefined,
        sourceCents: isOver ? undefined : ((1_000 + i) as unknown as Cents),
      })
    }),
  )

describe('the sessions of a receipt', () => {
  test('come to the same end in any order, with duplicates, losses and a poller', () => {
    const runs = fc.record({
      reported: fc.tuple(stories, stories),
      order: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
      lost: fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      polledAt: fc.array(fc.nat(12), { maxLength: 4 }),
      isAnyLost: fc.boolean(),
    })
    fc.assert(
      fc.property(runs, ({ reported: applied, order, lost, polledAt, isAnyLost }) => {
        const all = applied.flatMap((story, index) => story.map((reported) => ({ index, reported })))
        const ordered = all.reduce((so, { index, reported }) => apply(so, index, reported), start)

        const twice = [...all, ...all].map((each, i) => ({ ...each, key: order[i] ?? 0 }))
        const sent = twice.toSorted((a, b) => a.key - b.key).filter((_, i) => !isAnyLost || !lost[i])
        const poll = (so: Reported, upTo: number) =>
          applied.reduce((next, story, index) => {
            const known = story.slice(0, upTo)
            const last = known.at(-1)
            const charged = known.findLast(({ sourceCents }) => sourceCents !== undefined)
            return last ? apply(next, index, { ...last, sourceCents: charged?.sourceCents }) : next
          }, so)
        let shuffled = start
        sent.forEach(({ index, reported }, i) => {
          shuffled = apply(shuffled, index, reported)
          if (polledAt.includes(i)) shuffled = poll(shuffled, i)
        })
        if (isAnyLost) shuffled = poll(shuffled, Number.POSITIVE_INFINITY)
        expect(endOf(shuffled)).toEqual(endOf(ordered))
      }),
      { numRuns: 10_000 },
    )
  })

  test.each<[string, [number, SessionChange][], ReceiptStatus]>([
    [
      'a stale failure leaves a paid receipt paid',
      [
        [1, change('accepted', 1)],
        [1, change('failed', 2)],
      ],
      'paid',
    ],
    ['the failure of another attempt is stale', [[0, change('failed')]], 'pending'],
    ['money taken for another attempt pays', [[0, change('accepted')]], 'paid'],
    ['a bank payment is pending', [[1, change('ach_pending')]], 'paid - ach pending'],
    [
      'a bank payment comes back',
      [
        [1, change('ach_pending')],
        [1, change('returned', 2)],
      ],
      'failed',
    ],
    [
      'and is known to, although its acceptance comes later',
      [
        [1, change('returned', 2)],
        [1, change('ach_pending', 1)],
      ],
      'failed',
    ],
    [
      'one that comes back leaves another one pending',
      [
        [0, change('ach_pending')],
        [1, change('ach_pending')],
        [1, change('returned', 2)],
      ],
      'paid - ach pending',
    ],
    [
      'one that comes back leaves a paid receipt paid',
      [
        [0, change('settled')],
        [1, change('ach_pending')],
        [1, change('returned', 2)],
      ],
      'paid',
    ],
  ])('%s', (_, reports, status) =>
    expect(reports.reduce((so, [index, each]) => apply(so, index, each), start).status).toBe(status))

  test('what is said to fail after it was confirmed is a reversal; an old failure is none', () => {
    const paid = mergeChange(session('a'), change('settled', 5))
    expect(isReversal(paid, change('failed', 4))).toBe(false)
    expect(isReversal(paid, change('failed', 6))).toBe(true)
    expect(isReversal(session('a'), change('failed', 6))).toBe(false)
  })
})
