import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { create2Address } from '@sluice/contracts/tools/create2.ts'
import { keccak256 } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { version as thisVersion } from '../../../src/app/version.ts'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { askAll } from '../../recorded/ask-recorded.ts'
import { listMigrations, restoreDatabase } from '../../support/database/recorded-database.ts'
import {
  listRecorded,
  pinRelease,
  readRecorded,
  readRecordedFactory,
} from '../../support/database/recorded-release.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const log = makeLog('error')

describe('an answer', () => {
  const before = { id: 'a', total: 5, buyer: null, lines: [{ label: 'Tea' }], list: [{ id: 'x', n: 1 }] }

  test.each([
    ['a new field', { ...before, more: true }],
    ['a new element', { ...before, list: [{ id: 'y', n: 2 }, ...before.list] }],
    ['a new field of an element', { ...before, lines: [{ label: 'Tea', qty: 1 }] }],
  ])('keeps what it said with %s', (_, now) => {
    expect(findLostFields(before, now)).toEqual([])
  })

  test.each([
    ['lost a field', { ...before, total: undefined }, 'total'],
    ['gives a number as text', { ...before, total: '5' }, 'total'],
    ['gives null as nothing', { ...before, buyer: '' }, 'buyer'],
    ['gives a list as something else', { ...before, lines: {} }, 'lines'],
    ['lost an element', { ...before, list: [] }, 'list[0]'],
    ['changed an element', { ...before, list: [{ id: 'x', n: 2 }] }, 'list[0].n'],
    ['has elements elsewhere', { ...before, lines: [{ label: 'Cake' }, { label: 'Tea' }] }, 'lines[0].label'],
  ])('that %s is told', (_, now, where) => {
    const plain = JSON.parse(JSON.stringify(now)) as unknown
    expect(findLostFields(before, plain).map((fault) => fault.split(':')[0])).toEqual([where])
  })
})

describe('the list of contracts that are out', () => {
  const pinned = (name: string) => ({ address: `0x${name}`, codeHash: `0x${name}` })
  const contractsOf = (name: string) => ({
    factory: pinned(name),
    splitImplementation: pinned(name),
    depositImplementation: pinned(name),
    initCodeHash: `0x${name}`,
  })

  test('gets those of a release when it is recorded, once, and loses none', () => {
    const earlier = [{ release: '0.1.0', ...contractsOf('a') }]
    const once = pinRelease({ current: contractsOf('b'), earlier }, '0.2.0')
    expect(once.earlier).toEqual([...earlier, { release: '0.2.0', ...contractsOf('b') }])
    expect(pinRelease(once, '0.2.0')).toEqual(once)
    const again = pinRelease({ ...once, current: contractsOf('c') }, '0.2.0')
    expect(again.earlier).toEqual([...once.earlier, { release: '0.2.0', ...contractsOf('c') }])
    expect(pinRelease({ current: contractsOf('b'), earlier: once.earlier }, '0.3.0').earlier).toHaveLength(3)
  })

  test.each(listRecorded())('has those of %s, which is recorded', (version) => {
    const initCode = readRecordedFactory(version)
    const listed = releases.earlier
      .filter(({ release }) => release === version)
      .map(({ initCodeHash, factory }) => [initCodeHash, factory.address])
    expect(listed, 'run `npm run record`, which writes them there').toContainEqual([
      keccak256(initCode),
      create2Address(initCode),
    ])
  })
})

describe.each(listRecorded())('a database of release %s', (version) => {
  const { access, database: dump, responses } = readRecorded(version)

  async function restore(): Promise<TestDatabase> {
    const database = await makeTestDatabase({ isEmpty: true })
    await migrate({ url: database.url, log, count: access.migrations.length })
    await restoreDatabase(database.url, dump)
    await migrate({ url: database.url, log })
    return database
  }

  test('was made by migrations that have not changed since it was out', () => {
    const known = new Map(listMigrations().map(({ name, sha256 }) => [name, sha256]))
    const changed = access.migrations.filter(({ name, sha256 }) => known.get(name) !== sha256)
    // The migrations of an unreleased version may change, and so may its recording.
    expect(version === thisVersion ? [] : changed).toEqual([])
  })

  test('opens under this release, and no field of an answer is gone or says something else', async () => {
    const database = await restore()
    const { keys, recordedAt: now } = access
    const service = await startWholeService({ database, keys, now, isOffline: true })
    onTestFinished(() => service.stop())
    const respondsNow = await askAll(service.port, access, responses)
    const lost = responses.flatMap((before, index) =>
      findLostFields(
        { status: before.status, body: before.body },
        { status: respondsNow[index]?.status, body: respondsNow[index]?.body },
      ).map((fault) => `GET ${before.target} as ${before.as}: ${fault}`),
    )
    expect(lost, 'before the release: is the change meant? Then run `npm run record`').toEqual([])
    console.log(`${responses.length} responses of ${version} compared, ${lost.length} fields lost or changed`)
    expect(responses.length).toBeGreaterThan(50)
  })
})

/**
 * Returns the fields of `before` that are missing or different in `now`. New fields and elements are allowed.
 * Matches list elements by `id` or `hash` if they have one, else by index.
 */
function findLostFields(before: unknown, now: unknown, path = ''): string[] {
  if (Array.isArray(before)) {
    if (!Array.isArray(now)) return [`${path}: a list became ${show(now)}`]
    return before.flatMap((element, index) =>
      findLostFields(element, findSame(element, index, now), `${path}[${index}]`),
    )
  }
  if (isObject(before)) {
    if (!isObject(now)) return [`${path}: an object became ${show(now)}`]
    return Object.entries(before).flatMap(([name, value]) => {
      const field = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(now, name)) return [`${field}: is gone; it was ${show(value)}`]
      return findLostFields(value, now[name], field)
    })
  }
  return Object.is(before, now) ? [] : [`${path}: was ${show(before)} and is ${show(now)}`]
}

function findSame(element: unknown, index: number, list: readonly unknown[]): unknown {
  const name = isObject(element)
    ? ['id', 'hash'].find((each) => typeof element[each] === 'string')
    : undefined
  if (!isObject(element) || name === undefined) return list[index]
  return list.find((each) => isObject(each) && each[name] === element[name])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120)
}
