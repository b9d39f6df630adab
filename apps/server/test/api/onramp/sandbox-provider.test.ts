import type { FailureCode } from '@sluice/protocol/failures.ts'
import { expect, test } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { SessionReport } from '../../../src/onramp/provider.ts'
import { hasSandbox } from '../../../src/onramp/sandbox/open-sandbox.ts'
import { changeSession, paySession } from '../../../src/onramp/sandbox/pay-session.ts'
import { makeSandboxProvider } from '../../../src/onramp/sandbox/sandbox-provider.ts'
import { markDelivered, settle, settlesAfterMs } from '../../../src/onramp/sandbox/session.ts'
import { signEvent } from '../../../src/onramp/sandbox/signed-event.ts'
import {
  dropEvent,
  findSandboxSession,
  insertSession,
  listDueEvents,
  mostWaitingEvents,
} from '../../../src/onramp/sandbox/store.ts'
import {
  errorCodeOf,
  failureCodeOfSandbox,
  type TestOutcome,
} from '../../../src/onramp/sandbox/test-cards.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { type Happening, type ProviderBench, sampleOrder, testProvider } from './provider-conformance.ts'

const database = perFile(makeTestDatabase)
const clock = new TestClock()
const secret = 'a secret of the test'

function makeBench(): ProviderBench {
  const db = database.pool
  const needs = { db, clock, random: systemRandom }
  const outcomes: Partial<Record<Happening['kind'], TestOutcome>> = {
    'pays-by-card': { kind: 'paid' },
    'pays-by-bank': { kind: 'settles' },
  }
  const deliver = (id: string) =>
    changeSession(needs, id, (before, now) =>
      before.state === 'accepted' ? markDelivered(before, `0x${'5e'.repeat(32)}`, now) : undefined,
    )
  const act = async ({ sessionId }: SessionReport, happening: Happening) => {
    await clock.advance(1_000)
    if (happening.kind === 'is-declined')
      await paySession(needs, sessionId, { kind: 'failed', code: failureCodeOfSandbox(happening.errorCode) })
    const outcome = outcomes[happening.kind]
    if (outcome) await paySession(needs, sessionId, outcome)
    if (happening.kind === 'bank-settles' || happening.kind === 'bank-returns') {
      await clock.advance(settlesAfterMs)
      const code: FailureCode = 'PORTAL_PAY_INSUFFICIENT_FUNDS'
      const returnsAs = happening.kind === 'bank-returns' ? code : undefined
      await changeSession(needs, sessionId, (before, now) => settle({ ...before, returnsAs }, now))
    }
    await clock.advance(1_000)
    await deliver(sessionId)
  }
  return {
    provider: makeSandboxProvider({ db, clock, baseUrl: 'http://127.0.0.1:8080', secret }),
    now: () => clock.now(),
    async happens(session, happening) {
      const signed = (body: string) => ({
        body: Buffer.from(body),
        headers: signEvent(secret, body, clock.now()),
      })
      if (happening.kind === 'unheard-of')
        return [signed('{"id":"evt_1","type":"dispute.opened","created":1,"session":{"id":"sbx_1"}}')]
      await act(session, happening)
      const events = await listDueEvents(db, clock.now(), 50)
      for (const { id } of events) await dropEvent(db, id)
      return events.map(({ body }) => signed(body))
    },
    knownDecline: errorCodeOf('PORTAL_PAY_DO_NOT_HONOR'),
    refusedOrder: undefined,
    withoutServers: undefined,
  }
}

testProvider(makeBench)

test('it is there only where a treasury is named and nothing is paid for real', () => {
  const treasury = {
    sandboxTreasuryKey: `0x${'11'.repeat(32)}`,
    isProduction: false,
    chainId: 31_337,
  } as const
  expect(hasSandbox(treasury)).toBe(true)
  expect(hasSandbox({ ...treasury, chainId: 84_532 })).toBe(true)
  expect(hasSandbox({ ...treasury, sandboxTreasuryKey: undefined })).toBe(false)
  expect(hasSandbox({ ...treasury, isProduction: true })).toBe(false)
  expect(hasSandbox({ ...treasury, chainId: 8_453 })).toBe(false)
})

test('what it keeps is bounded: the sessions in all, and the events of one that nobody takes', async () => {
  const db = database.pool
  const { provider } = makeBench()
  const known = await openOne(provider)
  const open = await findSandboxSession(db, known)
  if (!open) throw new Error('it was opened')
  const most = 5
  for (let i = 0; i < 2 * most; i++) {
    await clock.advance(1_000)
    const id = `sbx_bound${i}`
    await insertSession(db, { ...open, id, reference: `bound${i}`, createdAt: clock.now() }, most)
  }
  const kept = await Promise.all(
    Array.from({ length: 2 * most }, (_, i) => findSandboxSession(db, `sbx_bound${i}`)),
  )
  expect(kept.map((each) => each !== undefined)).toEqual(kept.map((_, i) => i >= most))
  expect(await findSandboxSession(db, known)).toBeUndefined()

  const busy = `sbx_bound${most}`
  for (let i = 0; i < 2 * mostWaitingEvents; i++) {
    await clock.advance(1_000)
    await paySession({ db, clock, random: systemRandom }, busy, {
      kind: 'failed',
      code: 'PORTAL_PAY_CARD_EXPIRED',
    })
  }
  const waiting = await listDueEvents(db, clock.now(), 100)
  expect(waiting).toHaveLength(mostWaitingEvents)
  expect(Math.max(...waiting.map(({ dueAt }) => dueAt))).toBe(clock.now())
})

async function openOne(provider: ProviderBench['provider']): Promise<string> {
  const opened = await provider.openSession(sampleOrder(), { signal: new AbortController().signal })
  if (opened.kind !== 'opened') throw new Error('the sandbox takes every order')
  return opened.sessionId
}
