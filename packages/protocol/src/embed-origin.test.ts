import { expect, it } from 'vitest'
import { parseEmbedOrigin } from './embed-origin.ts'

it.each([
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['HTTPS://Shop.Example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
])('%s is the origin %s', (text, origin) => {
  expect(parseEmbedOrigin(text)).toBe(origin)
})

it.each([
  '',
  '*',
  'null',
  "'self'",
  'https:',
  'https://*',
  'https://*.shop.example',
  'https://shop.*',
  'shop.example',
  '//shop.example',
  'http://shop.example',
  'http://localhost.evil.example',
  'https://user@shop.example',
  'https://shop.example/path',
  'https://shop.example?x',
  'https://shop.example#x',
  'https://shop.example; script-src *',
  'https://shop.example https://evil.example',
  'https://shop.example,https://evil.example',
  "https://shop.example'",
  'https://[::1]',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'blob:https://shop.example/x',
  `https://${'a'.repeat(64)}.example`,
])('%j is none', (text) => {
  expect(parseEmbedOrigin(text)).toBeUndefined()
})
