import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionChangeKind } from '../../../src/onramp/provider.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startOnrampWorld } from '../../support/onramp/onramp-world.ts'
import type { PaperEvent } from '../../support/onramp/paper-provider.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(startOnrampWorld)

/** What can happen to a session, in order. */
const stories: readonly (readonly SessionChangeKind[])[] = [
  ['accepted', 'settled'],
  ['failed', 'failed', 'accepted', 'settled'],
  ['ach_pending', 'settled'],
  ['ach_pending', 'returned'],
  ['failed', 'ach_pending', 'returned'],
  ['failed', 'failed'],
]
const runs = fc.record({
  story: fc.constantFrom(...stories),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  lost: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  isStale: fc.boolean(),
})

/** A receipt, and the events of its story in order; where it is stale, the buyer has asked for another attempt since. */
async function tell(story: readonly SessionChangeKind[], isStale: boolean) {
  const { id, sessionId } = await world.newCardReceipt()
  if (isStale) await world.ask(id, 'ETH')
  const at = world.clock.now()
  const events = story.map((kind, i) => {
    const isOver = kind === 'failed' || kind === 'returned'
    const errorCode = i === 0 ? 'card_declined' : 'expired_card'
    const change = { kind, at: (at + i) as typeof at, ...(isOver && { errorCode }) }
    return world.provider.happen(sessionId, change)
  })
  return { id, events }
}
const endOf = async (id: string) => {
  const { status, failureCode, providerErrorCode } = await world.status(id)
  const told = await world.told(id)
  return { status, failureCode, providerErrorCode, said: told.at(-1)?.status }
}

test('events in any order, sent twice, lost, at the same moment, and a poller come to the same end', async () => {
  const cases = fc.sample(runs, 24)
  const pairs: { ordered: string; shuffled: string; story: string }[] = []
  for (const { story, order, lost, isStale } of cases) {
    const ordered = await tell(story, isStale)
    for (const event of ordered.events) expect((await world.send(event)).status).toBe(200)
    const shuffled = await tell(story, isStale)
    const sent = [...shuffled.events, ...shuffled.events]
      .map((event, i): [PaperEvent, number] => [event, order[i] ?? 0])
      .toSorted(([, a], [, b]) => a - b)
      .filter((_, i) => !lost[i])
    const half = sent.length >> 1
    for (const [event] of sent.slice(0, half)) expect((await world.send(event)).status).toBe(200)
    const rest = await Promise.all(sent.slice(half).map(([event]) => world.send(event)))
    expect(rest.every(({ status }) => status === 200)).toBe(true)
    pairs.push({ ordered: ordered.id, shuffled: shuffled.id, story: `${story}, stale: ${isStale}` })
  }
  // Later than the longest pause of the poller.
  world.clock.jumpTo(world.clock.now() + 7 * 3_600_000)
  await world.run(jobNames.pollOnramp)
  for (const { ordered, shuffled, story } of pairs)
    expect(await endOf(shuffled), story).toEqual(await endOf(ordered))
})
