import { expect, test } from 'vitest'
import { parseWebhookUrl } from './check-target.ts'

test('in production a webhook URL is https, at a public host, without credentials, of at most 2048 signs', () => {
  const judge = (text: string) => parseWebhookUrl(text, { isProduction: true })
  expect(judge('https://shop.example.com/hooks?a=1')).toBeInstanceOf(URL)
  expect(judge('http://shop.example.com/')).toBe('not-https')
  expect(judge('https://localhost/')).toBe('not-public')
  expect(judge('https://10.0.0.1/')).toBe('not-public')
  expect(judge('https://user:pass@shop.example.com/')).toBe('has-credentials')
  expect(judge('/hooks')).toBe('not-a-url')
  expect(judge(`https://shop.example.com/${'a'.repeat(2_023)}`)).toBeInstanceOf(URL)
  expect(judge(`https://shop.example.com/${'a'.repeat(2_024)}`)).toBe('too-long')
})

test('in development http and this machine are taken too, credentials are not', () => {
  const judge = (text: string) => parseWebhookUrl(text, { isProduction: false })
  expect(judge('http://localhost:3000/hooks')).toBeInstanceOf(URL)
  expect(judge('http://127.0.0.1/')).toBeInstanceOf(URL)
  expect(judge('ftp://localhost/')).toBe('not-https')
  expect(judge('http://user@localhost/')).toBe('has-credentials')
})
