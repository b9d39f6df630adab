import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionChangeKind } from '../../../src/onramp/provider.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type PaperEvent, startOnrampApi } from '../../support/api/onramp.ts'
import { perFile } from '../../support/per-file.ts'

/** Number of event sequences. `CARD_EVENTS=10000` takes half an hour on a busy machine. */
const sequenceCount = Number(process.env.CARD_EVENTS ?? '150')
const perRound = 100
const atOnce = 10

const context = perFile(startOnrampApi)

type Sequence = {
  readonly story: readonly SessionChangeKind[]
  readonly order: readonly number[]
  readonly lost: readonly boolean[]
  readonly isStale: boolean
}

const stories: readonly (readonly SessionChangeKind[])[] = [
  ['accepted', 'settled'],
  ['failed', 'failed', 'accepted', 'settled'],
  ['ach_pending', 'settled'],
  ['ach_pending', 'returned'],
  ['failed', 'ach_pending', 'returned'],
  ['failed', 'failed'],
  ['failed', 'failed', 'failed'],
]
const runs: fc.Arbitrary<Sequence> = fc.record({
  story: fc.constantFrom(...stories),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  lost: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  isStale: fc.boolean(),
})

/**
 * Creates a receipt and the ordered events of its story. If `isStale`, the buyer has since started another
 * attempt.
 */
async function report(story: readonly SessionChangeKind[], isStale: boolean) {
  const { id, sessionId } = await context.newCardReceipt()
  if (isStale) await context.ask(id, 'ETH')
  const at = context.clock.now()
  const events = story.map((kind, i) => {
    const isOver = kind === 'failed' || kind === 'returned'
    const errorCode = i % 2 === 0 ? 'card_declined' : 'expired_card'
    const change = { kind, at: (at + i) as typeof at, ...(isOver && { errorCode }) }
    return context.provider.happen(sessionId, change)
  })
  return { id, events }
}

async function sendAll(events: readonly PaperEvent[]): Promise<void> {
  const responses = await Promise.all(events.map((event) => context.send(event)))
  expect(responses.every(({ status }) => status === 200)).toBe(true)
}

/** Sends each event twice, in any order, and loses some; sends the second half concurrently. */
async function shuffle({ story, order, lost, isStale }: Sequence): Promise<string> {
  const { id, events } = await report(story, isStale)
  const sent = [...events, ...events]
    .map((event, i): [PaperEvent, number] => [event, order[i] ?? 0])
    .toSorted(([, a], [, b]) => a - b)
    .flatMap(([event], i) => (lost[i] ? [] : [event]))
  const half = sent.length >> 1
  for (const event of sent.slice(0, half)) await sendAll([event])
  await sendAll(sent.slice(half))
  return id
}

let lastEvent = 0
async function readFeed(): Promise<Map<string, string>> {
  const said = new Map<string, string>()
  for (;;) {
    const { status, body, text } = await context.get(`/api/events?limit=200&after=${lastEvent}`)
    if (status !== 200) throw new Error(text)
    for (const event of body.events) said.set(event.receiptId, JSON.parse(event.body).status)
    if (body.events.length > 0) lastEvent = body.events.at(-1).number
    if (body.nextCursor === null) return said
  }
}
const endOf = async (id: string, feed: Map<string, string>) => {
  const { status, failureCode, providerErrorCode } = await context.status(id)
  return { status, failureCode, providerErrorCode, said: feed.get(id) }
}
const nameOf = ({ story, isStale }: Pick<Sequence, 'story' | 'isStale'>) => `${story}, stale: ${isStale}`

test(
  'events in any order, sent twice, lost, at the same moment, and a poller come to the same end',
  async () => {
    const ordered = new Map<string, string>()
    for (const story of stories)
      for (const isStale of [false, true]) {
        const { id, events } = await report(story, isStale)
        for (const event of events) await sendAll([event])
        ordered.set(nameOf({ story, isStale }), id)
      }
    const feed = await readFeed()
    const wanted = new Map<string, object>()
    for (const [name, id] of ordered) wanted.set(name, await endOf(id, feed))

    const seed = randomInt(2 ** 31)
    const sequences = fc.sample(runs, { numRuns: sequenceCount, seed })
    for (let from = 0; from < sequences.length; from += perRound) {
      const reported: (readonly [Sequence, string])[] = []
      const round = sequences.slice(from, from + perRound)
      const work = async () => {
        for (let next = round.pop(); next; next = round.pop()) reported.push([next, await shuffle(next)])
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      // Longer than the poller's longest pause.
      context.clock.jumpTo(context.clock.now() + 7 * 3_600_000)
      await context.run(jobNames.pollOnramp)
      const said = await readFeed()
      for (const [sequence, id] of reported)
        expect(await endOf(id, said), `${nameOf(sequence)}, seed ${seed}`).toEqual(
          wanted.get(nameOf(sequence)),
        )
    }
  },
  600_000 + sequenceCount * 500,
)
