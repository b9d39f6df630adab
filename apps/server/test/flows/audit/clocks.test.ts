import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { RateLimits } from '../../../src/access/limits/rate-limits.ts'
import type { SubscriptionCaller } from '../../../src/access/caller.ts'
import { PageThemes } from '../../../src/pages/theme/page-themes.ts'
import { openEndpoint } from '../../../src/chain/rpc/endpoint.ts'
import { Places } from '../../../src/platform/cluster/places.ts'
import { DatastoreAway } from '../../../src/platform/database/degraded.ts'
import { EventStreams } from '../../../src/webhooks/stream/event-streams.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { settle, TestClock } from '../../support/test-clock.ts'

const dayMs = 86_400_000
const log = pino({ level: 'silent' })
const database = perFile(makeTestDatabase)
const merchant = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as never

describe('a clock that was a day ahead is set right', () => {
  test('shared limits: nobody is refused for longer than a minute', async () => {
    const clock = new TestClock()
    const right = clock.now()
    clock.jumpTo(right + dayMs)
    const limits = new RateLimits({ db: database.pool, clock }, 1)
    limits.share(true)
    const take = () => limits.take('reads', 'subscription:busy')
    while ((await take())?.isAllowed);
    clock.jumpTo(right)
    await take()
    clock.jumpTo(right + 3_600_000)
    expect((await take())?.isAllowed, 'an hour later').toBe(true)
  })

  test('streams: that of a revoked key ends', async () => {
    const clock = new TestClock()
    const right = clock.now()
    clock.jumpTo(right + dayMs)
    let isRevoked = false
    const db = {
      rows: async () => [],
      row: async ({ name }: { name: string }) =>
        name === 'find-active-key' ? (isRevoked ? undefined : { id: 's' }) : undefined,
      run: async () => 0,
      transaction: async (work: (tx: unknown) => unknown) => work(db),
    }
    const streams = new EventStreams({ db: db as never, clock, log })
    const caller: SubscriptionCaller = {
      kind: 'subscription',
      merchant,
      subscriptionId: 's',
      scopes: ['receipts:read'],
      keyId: 'k',
      sealedKey: '',
    }
    const body = streams.open(caller, merchant, undefined)
    let text = ''
    body.on('data', (bytes) => {
      text += bytes
    })
    await settle(20)
    for (let i = 0; i < 5; i++) await clock.advance(1_000)
    // A TestClock's timers stand by its time: what follows is what the process's own timers do.
    const jump = clock.now() - right
    const ahead = { offset: jump }
    void ahead
    isRevoked = true
    const shifted = clock.now.bind(clock)
    clock.now = () => (shifted() - jump) as never
    for (let i = 0; i < 3_600; i++) await clock.advance(1_000)
    expect(text).toContain('"unauthorized"')
    body.destroy()
  }, 60_000)

  test('looks of pages: one that was changed is seen', async () => {
    const clock = new TestClock()
    const right = clock.now()
    let name = 'old'
    const themes = new PageThemes({ clock, log }, async () => ({ brandName: name }))
    clock.jumpTo(right + dayMs)
    expect((await themes.find(merchant)).brandName).toBe('old')
    clock.jumpTo(right)
    name = 'new'
    clock.jumpTo(right + 3_600_000)
    expect((await themes.find(merchant)).brandName, 'an hour later').toBe('new')
  })

  test('endpoints of the chain: one that was unreachable is asked again', async () => {
    const clock = new TestClock()
    const right = clock.now()
    clock.jumpTo(right + dayMs)
    let isAway = true
    const request = async ({ body = '' }: { body?: string }) => {
      if (isAway) return { kind: 'fault', fault: 'network', detail: 'no route' }
      const calls = JSON.parse(body) as { id: number }[]
      const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x2105' }))
      return { kind: 'answer', status: 200, headers: {}, body: Buffer.from(JSON.stringify(answers)) }
    }
    const options = { url: 'https://rpc.example.com', chainId: 8453, hasSubstitute: true }
    const endpoint = openEndpoint({ outbound: { request } as never, clock, log }, options)
    const ask = () => endpoint.ask([{ method: 'eth_blockNumber', params: [] }])
    await expect(ask()).rejects.toThrow()
    isAway = false
    clock.jumpTo(right)
    clock.jumpTo(right + 3_600_000)
    expect(await ask(), 'an hour later').toHaveLength(1)
  })

  test('machines of a cluster: one that is back is noticed', async () => {
    const clock = new TestClock()
    const right = clock.now()
    clock.jumpTo(right + dayMs)
    let isAway = true
    const db = {
      rows: async ({ name }: { name: string }) =>
        name === 'list-places' ? [{ place: 'w1', near: '1' }] : [{ merchant, place: 'w1' }],
      row: async () => ({ place: 'w1' }),
      run: async () => {
        if (isAway) throw new DatastoreAway('gone')
        return 0
      },
    }
    const places = new Places({ db: db as never, clock, log })
    expect(await places.isAway(new DatastoreAway('gone'), merchant)).toBe(true)
    isAway = false
    clock.jumpTo(right)
    for (let i = 0; i < 60; i++) {
      clock.jumpTo(right + i * 60_000)
      places.isAnyAway()
      await settle()
    }
    expect(places.awayCount, 'an hour later').toBe(0)
  })
})
