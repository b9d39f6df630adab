import dns from 'node:dns'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Pool } from '../../../src/platform/database/database.ts'
import { isDatastoreOutage } from '../../../src/platform/database/degraded.ts'

test.each(['EAI_AGAIN', 'ENETUNREACH'])('a database whose host gives %s is away', async (code) => {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((_h: string, o: unknown, done: unknown) => {
    const back = (typeof o === 'function' ? o : done) as (error: Error) => void
    process.nextTick(() => back(Object.assign(new Error(`getaddrinfo ${code} db`), { code })))
  }) as never)
  onTestFinished(() => lookup.mockRestore())
  const pool = new Pool({ url: 'postgres://u:p@db:5432/d', log: pino({ level: 'silent' }) })
  onTestFinished(() => pool.close())
  const error = await pool.run({ name: '', text: 'SELECT 1' }).catch((e: unknown) => e)
  expect([String(error), isDatastoreOutage(error)]).toEqual([expect.stringContaining(code), true])
})
