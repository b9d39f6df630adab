import { expect, test } from 'vitest'
import { parseWebhookUrl } from './check-target.ts'

test('in production a webhook URL is https, at a public host, without credentials, of at most 2048 signs', () => {
  const evaluate = (text: string) => parseWebhookUrl(text, { isProduction: true })
  expect(evaluate('https://shop.example.com/hooks?a=1')).toBeInstanceOf(URL)
  expect(evaluate('http://shop.example.com/')).toBe('not-https')
  expect(evaluate('https://localhost/')).toBe('not-public')
  expect(evaluate('https://10.0.0.1/')).toBe('not-public')
  expect(evaluate('https://user:pass@shop.example.com/')).toBe('has-credentials')
  expect(evaluate('/hooks')).toBe('not-a-url')
  expect(evaluate(`https://shop.example.com/${'a'.repeat(2_023)}`)).toBeInstanceOf(URL)
  expect(evaluate(`https://shop.example.com/${'a'.repeat(2_024)}`)).toBe('too-long')
})

test('in development http and this machine are taken too, credentials are not', () => {
  const evaluate = (text: string) => parseWebhookUrl(text, { isProduction: false })
  expect(evaluate('http://localhost:3000/hooks')).toBeInstanceOf(URL)
  expect(evaluate('http://127.0.0.1/')).toBeInstanceOf(URL)
  expect(evaluate('ftp://localhost/')).toBe('not-https')
  expect(evaluate('http://user@localhost/')).toBe('has-credentials')
})
