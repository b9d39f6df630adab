import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHttp } from '../../../src/app/http/http.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { startApi, type TestApi } from '../../support/worlds/start-api.ts'

let api: TestApi

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

test('a client that hangs up in the middle of a request is no outage, and nothing is logged of one', async () => {
  const logged: string[] = []
  const log = makeLog('warn', { write: (line) => void logged.push(line) })
  const app = makeHttp({ ...api.access, random: systemRandom, log }, api.routes)
  let begin = () => {}
  let end = () => {}
  const isReading = new Promise<void>((resolve) => {
    begin = resolve
  })
  const isGone = new Promise<void>((resolve) => {
    end = resolve
  })
  app.addHook('preParsing', async (_request, _reply, payload) => {
    begin()
    return payload
  })
  app.addHook('onRequestAbort', async (_request) => end())
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))

  const merchant = await api.addMerchant()
  const client = connect(Number(port), '127.0.0.1')
  client.write(
    `POST /api/receipts HTTP/1.1\r\nHost: 127.0.0.1\r\nOcp-Apim-Subscription-Key: ${merchant.key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id":',
  )
  await isReading
  client.destroy()
  await isGone
  await app.close()
  expect(logged).toEqual([])
})
