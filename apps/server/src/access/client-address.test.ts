import { expect, test } from 'vitest'
import { clientAddress } from './credentials.ts'

const socket = '10.0.0.9'
const address = (forwarded: string | undefined, trustedHops: number, isFromEdge = true) =>
  clientAddress(forwarded ? { 'x-forwarded-for': forwarded } : {}, isFromEdge, { trustedHops }, socket)

test.each([
  ['203.0.113.7', 1, '203.0.113.7'],
  // A visitor can forge every entry to the left of those that the service's proxies add.
  ['192.0.2.1, 203.0.113.7', 1, '203.0.113.7'],
  ['192.0.2.1, 203.0.113.7, 10.0.0.1', 2, '203.0.113.7'],
  ['192.0.2.1,192.0.2.2,203.0.113.7,10.0.0.1,10.0.0.2', 3, '203.0.113.7'],
  ['203.0.113.7:4711', 1, '203.0.113.7'],
  ['2001:db8::1', 1, '2001:db8::1'],
  ['[2001:db8::1]:443', 1, '2001:db8::1'],
])('%s over %i hops is %s', (forwarded, hops, right) => expect(address(forwarded, hops)).toBe(right))

test.each([
  ['who did not come through our edge', '203.0.113.7', 1, false],
  ['fewer proxies than there are', '203.0.113.7', 2, true],
  ['no address', 'unknown', 1, true],
  ['an empty entry', '203.0.113.7,', 1, true],
  ['no header', undefined, 1, true],
] as const)("%s is the connection's own address", (_, forwarded, hops, isFromEdge) =>
  expect(address(forwarded, hops, isFromEdge)).toBe(socket))
