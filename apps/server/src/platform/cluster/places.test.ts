import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Machines, openMachines } from '../../../test/support/database/machines.ts'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { wrapDatabase } from '../../../test/support/database/wrap-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { type Database, Pool } from '../database/database.ts'
import { DatastoreAway, isDatastoreOutage } from '../database/degraded.ts'
import { statement } from '../database/statement.ts'
import { setAside, walkItems } from '../jobs/set-aside.ts'
import { listSetAside } from '../jobs/set-aside-store.ts'
import { makeLog } from '../log.ts'
import { askPlaces, despiteAway, machineAway, Places, unlessAway } from './places.ts'

const database = perFile(makeTestDatabase)
const plain = perFile(makeTestDatabase)
let clock: TestClock
let machines: Machines
let lines: { alert?: string; msg: string }[]
let sent: string[]
let db: Database
let places: Places

/** Two merchants on each of two machines. */
const merchants: { here: string[]; there: string[] } = { here: [], there: [] }

const log = () => makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
const counted = (inner: Database) =>
  wrapDatabase(inner, ({ name }, run) => {
    sent.push(name)
    return run()
  })
const needs = () => ({ db, clock, log: log(), places })
const all = () => [...merchants.here, ...merchants.there]
const ask = statement({
  name: 'test-ask-merchants',
  text: 'SELECT merchant FROM merchant WHERE merchant = ANY(:of::text[])',
})
const add = statement({
  name: 'test-add-merchant',
  text: 'INSERT INTO merchant (merchant, name, created_at) VALUES (:merchant, :name, 0) ON CONFLICT DO NOTHING',
})
/** Asks about all of them; answers whom it was about in the end. */
const askAll = () =>
  askPlaces(places, all(), async (of) => {
    await db.rows(ask({ of }))
    return [...of]
  })

beforeEach(async () => {
  machines = await openMachines(database.pool)
  ;[clock, lines, sent] = [new TestClock(), [], []]
  db = machines.between(counted(database.pool))
  places = new Places(needs())
  if (merchants.here.length > 0) return
  const place = await machines.placeOf('0x00')
  for (let i = 0; merchants.here.length < 2 || merchants.there.length < 2; i++) {
    const merchant = `0x${i}`
    const own = (await machines.placeOf(merchant)) === place ? merchants.here : merchants.there
    if (own.length < 2) own.push(merchant)
  }
})

const cutThere = async () => machines.cut(await machines.placeOf(merchants.there[0] ?? ''))

/** Lets what nobody waits for come to its end. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await database.pool.run({ name: '', text: 'SELECT 1' })
}

describe.skipIf(isOnCluster)('while a machine is away', () => {
  test('questions are asked about the merchants of the others, which is said once', async () => {
    expect(await askAll()).toEqual(all())
    await cutThere()
    expect(await askAll()).toEqual(merchants.here)
    expect(await askAll()).toEqual(merchants.here)
    expect(lines.map(({ alert }) => alert)).toEqual(['database-machine-away'])
    expect(places.awayCount).toBe(1)

    const before = sent.length
    await askAll()
    expect(sent.slice(before), 'what stands where is known').toEqual(['test-ask-merchants'])
    await machines.mend()
  })

  test('it is tried again after ever longer pauses, and asked again once it is back', async () => {
    await cutThere()
    await askAll()
    const tries = () => sent.filter((name) => name === 'touch-place').length
    await machines.mend()
    await askAll()
    expect(places.awayCount, 'its time has not come').toBe(1)
    const before = tries()
    await clock.advance(2_000)
    await askAll()
    await until(() => places.awayCount === 0)
    expect(tries()).toBe(before + 1)
    expect(await askAll()).toEqual(all())
    expect(lines.at(-1)?.msg).toBe('a machine of the database responds again')
  })

  test('it is tried again where it was found away by a clock that was a day ahead', async () => {
    await clock.advance(86_400_000)
    await cutThere()
    await askAll()
    expect(places.awayCount).toBe(1)
    await machines.mend()
    clock.jumpTo(clock.now() - 86_400_000)
    await askAll()
    await until(() => places.awayCount === 0)
  })

  test('a walk does the items of the others, has its own looked at later, and alerts of none of them', async () => {
    await cutThere()
    const [done, later]: [string[], string[]] = [[], []]
    await walkItems(needs(), all(), {
      job: 'count-apples',
      nameOf: (merchant) => ({ merchant, item: 'apple' }),
      async work(merchant) {
        await db.rows(ask({ of: [merchant] }))
        done.push(merchant)
      },
      later: async (merchant) => void later.push(merchant),
    })
    expect([done, later]).toEqual([merchants.here, merchants.there])
    expect(await listSetAside(database.pool, 'count-apples')).toEqual([])
    expect(lines.map(({ alert }) => alert)).toEqual(['database-machine-away'])
    await machines.mend()
  })

  test.each([
    ['only reads', 'writes', 'database-machine-away', []],
    ['has a full disk', 'rows', 'item-set-aside', ['disk_full', 'disk_full']],
  ] as const)('a walk does the items of the others while one %s', async (_, refused, alert, faults) => {
    await Promise.all([...merchants.here, ...merchants.there].map(machines.placeOf))
    await machines.cut(await machines.placeOf(merchants.there[0] ?? ''), refused)
    const done: string[] = []
    await walkItems(needs(), [...merchants.there, ...merchants.here], {
      job: `count-${refused}`,
      nameOf: (merchant) => ({ merchant, item: 'apple' }),
      async work(merchant) {
        await db.run(add({ merchant, name: refused }))
        done.push(merchant)
      },
    })
    expect(done).toEqual(merchants.here)
    const aside = await listSetAside(database.pool, `count-${refused}`)
    expect(aside.map(({ fault }) => fault)).toEqual(faults)
    expect(new Set(lines.map((line) => line.alert))).toEqual(new Set([alert]))
    await machines.mend()
  })

  test('a transaction over several is done anew without those it has found away', async () => {
    await cutThere()
    const done: string[][] = []
    await despiteAway(places, () =>
      db.transaction(async (tx) => {
        const away = await places.awayOf(all(), tx)
        const of = all().filter((merchant) => !away.has(merchant))
        await tx.rows(ask({ of }))
        done.push(of)
      }),
    )
    expect(done).toEqual([merchants.here])
    await machines.mend()
  })

  test('what asks all machines and nobody waits for is left until it is back', async () => {
    const askEvery = statement({ name: 'test-ask-every', text: 'SELECT merchant FROM merchant' })
    expect(await unlessAway(places, () => db.rows(askEvery()))).toBeDefined()
    await cutThere()
    expect(await unlessAway(places, () => db.rows(askEvery()))).toBeUndefined()
    await machines.mend()
  })

  test('what waits for one that stands still is ended after seconds, and leaves its connections to the others', async () => {
    const pool = new Pool({ url: database.url, max: 2, log: makeLog('silent') })
    onTestFinished(() => pool.close())
    places = new Places({ ...needs(), merchantStatements: pool.merchantStatements })
    await cutThere()
    const stand = { name: '', text: 'SELECT pg_sleep(60), $1::text', merchantAt: 0 }
    const waiting = [...merchants.there, ...merchants.there].map((merchant) =>
      pool.rows(stand, [merchant]).catch((error) => error),
    )
    expect(await pool.rows(ask({ of: merchants.here }))).toHaveLength(2)
    for (const ended of await Promise.all(waiting)) expect(isDatastoreOutage(ended)).toBe(true)
    await machines.mend()
  })

  test('an item that waits for it is tried again soon, however long it was away', async () => {
    const name = { job: 'count-pears', merchant: '0x1', item: 'pear' }
    for (let i = 0; i < 6; i++) await setAside(needs(), name, machineAway())
    const [item] = await listSetAside(database.pool, 'count-pears')
    expect(item).toMatchObject({ fault: 'datastore_unavailable', tries: 6, nextTry: clock.now() + 30_000 })
    expect(lines).toEqual([])
  })
})

describe.skipIf(isOnCluster)('on one PostgreSQL', () => {
  beforeEach(() => {
    db = counted(plain.pool)
    places = new Places(needs())
  })

  test('nothing is asked but what is asked for', async () => {
    await askAll()
    await unlessAway(places, async () => {})
    await walkItems(needs(), [], { job: 'none', nameOf: () => ({ merchant: '', item: '' }), async work() {} })
    expect(sent).toEqual(['test-ask-merchants'])
  })

  test('an outage stays one, and nobody is left out after it', async () => {
    const outage = new DatastoreAway('canceling statement due to lock timeout')
    const failing = askPlaces(places, all(), async () => {
      throw outage
    })
    await expect(failing).rejects.toBe(outage)
    expect(await askAll()).toEqual(all())
    expect(lines).toEqual([])
  })

  test('a defect is told at once and no machine is suspected', async () => {
    await expect(places.learn(new Error('division by zero'))).resolves.toBe(false)
    expect(sent).toEqual([])
  })
})
