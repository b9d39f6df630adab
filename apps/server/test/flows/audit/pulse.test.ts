import { createServer } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock, wait } from '../../../src/kernel/clock.ts'
import { DatabasePulse } from '../../../src/platform/database/pulse.ts'

test('a PostgreSQL that has no connection left is there: nothing under way is given up', async () => {
  const fields = ['SFATAL', 'VFATAL', 'C53300', 'Msorry, too many clients already', '']
  const body = Buffer.from(fields.join('\0') + '\0')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([head, body])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const log = pino({ level: 'silent' })
  const pulse = new DatabasePulse({ url: `postgres://u:p@127.0.0.1:${port}/d`, clock: systemClock, log })
  onTestFinished(() => pulse.close())
  let isGivenUp = false
  await pulse.during(
    10_000,
    () => {
      isGivenUp = true
    },
    () =>
      wait(
        {
          ...systemClock,
          after: (ms, job) => {
            const t = setTimeout(job, ms)
            return () => clearTimeout(t)
          },
        },
        3_000,
      ),
  )
  expect([isGivenUp, pulse.isAway]).toEqual([false, false])
})
