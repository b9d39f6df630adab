import { expect, test } from 'vitest'
import { asOutage, isDatastoreOutage } from './degraded.ts'

const codes = ['ECONNREFUSED', '57P01', '57P03', '08006', '55P03', '57014', '25P03']

test.each([
  ...codes.map((code) => ({ code })),
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
