import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TestClock } from '../../test/support/test-clock.ts'
import { LiveCheckouts } from './live-checkouts.ts'

test('a page that is gone before its stream begins is not read for', async () => {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_request, response) => resolve(response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await promise
  const gone = new Promise((closed) => response.once('close', closed))
  socket.destroy()
  await gone

  const live = new LiveCheckouts({ clock: new TestClock(), log: pino({ level: 'silent' }) })
  let readCount = 0
  live.listen('key', response, async () => {
    readCount++
    return { version: '1', panel: 'pay', confirmations: 0, requiredConfirmations: 1 }
  })
  expect(readCount).toBe(0)
  live.close()
  server.close()
})
