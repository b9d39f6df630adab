import { expect, test } from 'vitest'
import { asOutage, DatastoreAway, isDatastoreOutage, isRetryable } from './degraded.ts'

const sqlStates = ['57P01', '57P03', '08006', '55P03', '57014', '25P03', '53300', '25006', '53100']
const networkCodes = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ECONNABORTED'],
]
const codes = [...sqlStates, ...networkCodes]

test.each([
  ...codes.map((code) => ({ code })),
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
  { code: 'XX000', message: 'failure on connection marked as essential: worker-1:5432' },
  { code: 'XX000', message: 'could not commit transaction for shard 102008 on at least one active node' },
  { code: 'XX000', message: 'server closed the connection unexpectedly' },
])('%o is an outage', (error) => expect(isDatastoreOutage(asOutage(error))).toBe(true))

test.each([
  { code: '42601' },
  { code: '23505' },
  { message: 'something else' },
  { code: 'XX000', message: 'cache lookup failed for relation 1' },
  {},
])('%o is a fault of ours', (error) => expect(asOutage(error)).toBe(error))

test('a connection that broke elsewhere is no outage', () =>
  expect(isDatastoreOutage(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))).toBe(false))

test('an outage that has no cause is not tried again, and is still an outage', () => {
  const away = new DatastoreAway('The database does not respond')
  expect(isRetryable(away)).toBe(false)
  expect(isDatastoreOutage(away)).toBe(true)
  expect(isRetryable(Object.assign(new Error('deadlock'), { code: '40P01' }))).toBe(true)
})
