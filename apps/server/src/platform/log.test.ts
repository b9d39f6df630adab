import { expect, test } from 'vitest'
import { makeLog } from './log.ts'

function logged(write: (log: ReturnType<typeof makeLog>) => void): string {
  const lines: string[] = []
  write(makeLog('trace', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

test('an entry is one line of JSON with a level, a time and the message', () => {
  const text = logged((log) => log.info({ port: 8080 }, 'ready'))
  expect(text.split('\n')).toHaveLength(2)
  expect(JSON.parse(text)).toMatchObject({ level: 30, port: 8080, msg: 'ready', time: expect.any(Number) })
})

const key = `sk_test_${'a1B2'.repeat(12)}`

test.each([
  ['a field of that name', { key }],
  ['a nested field', { request: { apiKey: 'abc', cookie: 'abc', privateKey: 'abc' } }],
  ['headers', { headers: { 'x-api-key': 'abc', 'ocp-apim-subscription-key': 'abc', cookie: 'abc' } }],
  ['headers of a request', { req: { headers: { authorization: 'abc', 'x-edge-secret': 'abc' } } }],
])('secrets in %s are blanked', (_, fields) => {
  const text = logged((log) => log.info(fields, 'x'))
  expect(text).not.toMatch(/abc|sk_test_a/)
  expect(text).toContain('[secret]')
})

test('a key or a database password is blanked wherever it stands', () => {
  const text = logged((log) => {
    log.info(`the key ${key} was sent`)
    log.error({ err: new Error('connecting to postgres://sluice:hunter2@127.0.0.1:5432/sluice failed') })
    log.warn({ list: [{ deep: { er: key } }], other: `whsec_${'a1B2'.repeat(12)}` })
  })
  expect(text).not.toMatch(/sk_test_a|hunter2|whsec_a/)
  expect(text).toContain('127.0.0.1:5432')
  for (const line of text.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
})
