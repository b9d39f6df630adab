import { expect, test } from 'vitest'
import { isPublicAddress, validateTarget } from './make-connector.ts'

const inProduction = { targets: 'public', allowHttp: false } as const

test.each([
  'https://example.com/hook',
  'https://example.com:8443/hook?a=b#c',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://EXAMPLE.com./',
])('%s may be sent to', (text) => expect(validateTarget(text, inProduction)).toBeInstanceOf(URL))

test.each([
  ['', 'not-a-url'],
  ['hook', 'not-a-url'],
  ['https://', 'not-a-url'],
  ['https://256.256.256.256/', 'not-a-url'],
  ['https://[fe80::1%25eth0]/', 'not-a-url'],
  ['http://example.com/', 'not-https'],
  ['ftp://example.com/', 'not-https'],
  ['file:///etc/passwd', 'not-a-url'],
  ['javascript:alert(1)', 'not-a-url'],
  ['https://user@example.com/', 'has-credentials'],
  ['https://user:pass@example.com/', 'has-credentials'],
  ['https://127.0.0.1@example.com/', 'has-credentials'],
  ['https://intranet/', 'not-public'],
  ['https://intranet./', 'not-public'],
  ['https://localhost./', 'not-public'],
  ['https://metadata.google.internal./', 'not-public'],
])('%s is refused as %s', (text, error) => expect(validateTarget(text, inProduction)).toBe(error))

test('http and this machine are targets where anything is', () => {
  const rules = { targets: 'any', allowHttp: true } as const
  expect(validateTarget('http://localhost:3000/hook', rules)).toBeInstanceOf(URL)
  expect(validateTarget('http://[::1]:3000/hook', rules)).toBeInstanceOf(URL)
})

const beside = ['172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0']

test.each(['1.1.1.1', '8.8.8.8', ...beside, '2a00::1'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true))

const notPublic = `
  0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254
  172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1
  224.0.0.1 240.0.0.1 255.255.255.255
  :: ::1 ::8.8.8.8 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1
  2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fd12:3456::1
  fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1`

test.each(['no address', ...notPublic.trim().split(/\s+/)])('%s is not public', (address) =>
  expect(isPublicAddress(address)).toBe(false))
