import { expect, test } from 'vitest'
import type { Route } from '../../access/route.ts'
import { makeLog } from '../../platform/log.ts'
import { type HttpNeeds, makeHttp } from './http.ts'

test('a route that does not say who may call it stops the start', () => {
  const open = { method: 'GET', path: '/api/open', summary: '', responses: {} }
  const routes = [{ ...open, handle: async () => ({ status: 200 }) }] as unknown as Route[]
  const needs = { gate: { isSecure: false }, log: makeLog('silent') } as unknown as HttpNeeds
  expect(() => makeHttp(needs, routes)).toThrow('GET /api/open does not declare its permitted callers')
})
