import { expect, test } from 'vitest'
import { isDatastoreOutage } from './degraded.ts'

test.each([
  { code: 'ECONNREFUSED' },
  { code: '57P01' },
  { code: '57P03' },
  { code: '08006' },
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
])('%o is an outage', (error) => expect(isDatastoreOutage(error)).toBe(true))

test.each([
  { code: '42601' },
  { code: '23505' },
  { message: 'something else' },
  {},
])('%o is a fault of ours', (error) => expect(isDatastoreOutage(error)).toBe(false))
