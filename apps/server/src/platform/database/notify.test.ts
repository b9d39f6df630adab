import { expect, onTestFinished, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { systemClock } from '../../kernel/clock.ts'
import { makeLog } from '../log.ts'
import { until } from '../process/process.ts'
import { Pool } from './database.ts'
import { NudgeListener, notifyJob } from './notify.ts'

const database = perFile(makeTestDatabase)

async function listen() {
  const heard: string[] = []
  const onNudge = (name: string) => heard.push(name)
  const log = makeLog('silent')
  const listener = new NudgeListener({ url: database.url, clock: systemClock, log, onNudge })
  onTestFinished(() => listener.close())
  await listener.open()
  return { heard, listener }
}

const breakIt = {
  name: 'test-break-listener',
  text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sluice-listen' AND datname = current_database()`,
}

test('a nudge reaches a listener, and again after its connection broke', async () => {
  const { heard } = await listen()
  await notifyJob({ db: database.pool, clock: systemClock }, 'first')
  expect(await until(() => heard.includes('first'), 60_000)).toBe(true)
  expect(await database.pool.run(breakIt)).toBe(1)
  const isBack = async () => {
    await notifyJob({ db: database.pool, clock: systemClock }, 'second')
    return heard.includes('second')
  }
  expect(await until(isBack, 60_000)).toBe(true)
})

test('a listener that breaks says that it hears nothing', async () => {
  const hearing: boolean[] = []
  const listener = new NudgeListener({
    url: database.url,
    clock: systemClock,
    log: makeLog('silent'),
    onNudge: () => {},
    onHearing: (isHearing) => hearing.push(isHearing),
  })
  onTestFinished(() => listener.close())
  await listener.open()
  expect(await database.pool.run(breakIt)).toBe(1)
  expect(await until(() => hearing.length > 2, 60_000)).toBe(true)
  expect(hearing).toEqual([true, false, true])
})

const endSleep = {
  name: 'test-end-sleep',
  text: `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE query = 'SELECT pg_sleep(60)' AND datname = current_database()`,
}

test('whose credentials a process ends is told with its commit, however busy its connections are after that', async () => {
  const pool = new Pool({ url: database.url, max: 1, log: makeLog('silent') })
  const heard: string[] = []
  const listener = new NudgeListener({
    ...{ url: database.url, clock: systemClock, log: makeLog('silent'), onNudge() {} },
    onChange: (word) => heard.push(word),
  })
  onTestFinished(async () => {
    await listener.close()
    await pool.close()
  })
  await listener.open()
  const ending = {
    name: 'test-end-credentials',
    text: 'UPDATE migration SET name = name',
    ends: ['one', 'two'],
  }
  const done = pool.run(ending)
  const busy = pool.run({ name: '', text: 'SELECT pg_sleep(60)' }).catch(() => {})
  expect(await until(() => heard.includes('ended one two'), 60_000)).toBe(true)
  await done
  expect(await database.pool.run(endSleep)).toBe(1)
  await busy
  await expect(
    pool.transaction(async (tx) => {
      await tx.run({ ...ending, ends: ['three'] })
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await pool.run({ ...ending, ends: ['four'] })
  expect(await until(() => heard.includes('ended four'), 60_000)).toBe(true)
  expect(heard.filter((word) => word.startsWith('ended'))).toEqual(['ended one two', 'ended four'])
})

test('a closed listener stays closed', async () => {
  const { heard, listener } = await listen()
  await listener.close()
  await notifyJob({ db: database.pool, clock: systemClock }, 'nobody')
  expect(await database.pool.run(breakIt)).toBe(0)
  expect(heard).toEqual([])
})
