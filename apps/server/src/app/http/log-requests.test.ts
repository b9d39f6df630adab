import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { makeLog } from '../../platform/log.ts'
import { logRequests } from './log-requests.ts'

async function linesOf(level: string, urls: readonly string[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  const app = fastify({ genReqId: () => 'correlation-1' })
  logRequests(app, makeLog(level, { write: (line) => void lines.push(line) }))
  app.get('/api/receipts/:id', async (request) => {
    const caller = { kind: 'subscription', subscriptionId: 'sub_1' }
    request.knownCaller = caller as typeof request.knownCaller
    return {}
  })
  app.get('/healthz', async () => ({}))
  for (const url of urls) await app.inject({ url })
  await app.close()
  return lines.map((line) => JSON.parse(line))
}

test('each request is one line with method, route, status, milliseconds, correlation id and subscription', async () => {
  const [line, other, ...more] = await linesOf('info', ['/api/receipts/a', '/none'])
  expect(line).toEqual({
    level: 30,
    time: expect.any(Number),
    msg: 'request',
    method: 'GET',
    route: '/api/receipts/:id',
    status: 200,
    ms: expect.any(Number),
    correlationId: 'correlation-1',
    subscription: 'sub_1',
  })
  expect(other).toMatchObject({ route: 'none', status: 404 })
  expect(more).toEqual([])
})

test('a line holds nothing a caller typed into the path', async () => {
  const lines = await linesOf('trace', ['/api/receipts/typed-here?q=typed-here', '/typed-here'])
  expect(lines).toHaveLength(2)
  expect(JSON.stringify(lines)).not.toContain('typed-here')
})

test('probes are lines for those who ask for them', async () => {
  expect(await linesOf('info', ['/healthz'])).toEqual([])
  expect(await linesOf('debug', ['/healthz'])).toHaveLength(1)
  expect(await linesOf('warn', ['/api/receipts/a'])).toEqual([])
})
