import { expect, test } from 'vitest'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { evaluateResponse } from '../../../../scripts/guide/validate-response.ts'
import { startDegradedService } from '../support/kill/degraded-api.ts'
import { perFile } from '../support/per-file.ts'

const service = perFile(startDegradedService)

test('the answers the guide to degraded mode shows are those that come while the database is away', async () => {
  const receipt = (id: string) => ({ id, lineItems: [{ label: 'Tea', amount: 2 }] })
  const make = (id: string) => service.call('POST', '/api/receipts', { body: receipt(id) })
  expect((await make('r1')).status).toBe(201)
  await service.call('GET', '/api/receipts')
  const report = { receiptId: 'r1', wallet: service.merchant, status: 'link_opened' }
  service.datastore.isAway = true
  const responses = {
    'degraded-read': await service.call('GET', '/api/receipts'),
    'degraded-write': await service.call('POST', '/api/receipts/status', { key: '', body: report }),
    'refused-write': await make('r2'),
  }
  const blocks = readPage('docs/degraded-mode.md')
  const shown = blocks.filter((block) => block.language === 'json')
  expect(shown.map((block) => block.marks.get('example'))).toEqual(Object.keys(responses))
  for (const [index, response] of Object.values(responses).entries())
    expect(evaluateResponse('json', shown[index]?.text ?? '', response.text)).toBeUndefined()
  expect(Object.values(responses).map(({ status }) => status)).toEqual([200, 200, 503])
  expect(responses['refused-write'].headers.get('retry-after')).toBe('1')
})
