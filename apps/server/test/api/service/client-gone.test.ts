import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApi } from '../../support/api/start-api.ts'

test('a client that hangs up in the middle of a request is no outage, and nothing is logged of one', async () => {
  const reading = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const api = await startApi({
    extend(app) {
      app.addHook('preParsing', async (_request, _reply, payload) => {
        reading.resolve()
        return payload
      })
      app.addHook('onRequestAbort', async (_request) => gone.resolve())
    },
  })
  const merchant = await api.addMerchant()
  const client = connect(Number(new URL(api.url).port), '127.0.0.1')
  client.write(
    `POST /api/receipts HTTP/1.1\r\nHost: 127.0.0.1\r\nOcp-Apim-Subscription-Key: ${merchant.key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id":',
  )
  await reading.promise
  client.destroy()
  await gone.promise
  await api.stop()
  expect(api.logged).toEqual([])
})
