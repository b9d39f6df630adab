import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { settle, TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../log.ts'
import { HealthMonitor } from './health-monitor.ts'

const turnMs = 125

function apiError(code: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

async function refusing(
  code: string,
): Promise<{ server: Server; healthMonitor: HealthMonitor; clock: TestClock }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(apiError(code)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = new TestClock()
  const url = `postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/d`
  const healthMonitor = new HealthMonitor({ url, clock, log: makeLog('silent') })
  onTestFinished(async () => {
    healthMonitor.close()
    server.close()
  })
  return { server, healthMonitor, clock }
}

test.each([
  ['that has no connection left is there: nothing under way is given up', '53300', false],
  ['that does not know the password is there', '28P01', false],
  ['that is going down is away', '57P03', true],
])('a PostgreSQL %s', async (_, code, isAway) => {
  const { server, healthMonitor, clock } = await refusing(code)
  const slow = Promise.withResolvers<string>()
  let isGivenUp = false
  const giveUp = () => {
    isGivenUp = true
  }
  const connected = once(server, 'connection') as Promise<[Socket]>
  const asked = healthMonitor.during(60_000, giveUp, () => slow.promise)
  await clock.advance(6 * turnMs)
  const [socket] = await connected
  if (!socket.closed) await once(socket, 'close')
  await settle()
  await clock.advance(10 * turnMs)
  slow.resolve('done')
  expect(await asked).toBe('done')
  expect([isGivenUp, healthMonitor.isAway]).toEqual([isAway, isAway])
})
