import { expect, test } from 'vitest'
import { asOutage, isDatastoreOutage } from './degraded.ts'

test.each([
  { code: 'ECONNREFUSED' },
  { code: '57P01' },
  { code: '57P03' },
  { code: '08006' },
  { code: '55P03' },
  { code: '57014' },
  { code: '25P03' },
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
])('%o is an outage', (error) => expect(isDatastoreOutage(asOutage(error))).toBe(true))

test.each([
  { code: '42601' },
  { code: '23505' },
  { message: 'something else' },
  {},
])('%o is a fault of ours', (error) => expect(asOutage(error)).toBe(error))

test('a connection that broke elsewhere is no outage', () =>
  expect(isDatastoreOutage(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))).toBe(false))
