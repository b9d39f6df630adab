import { expect, test } from 'vitest'
import { findCalls, findScreens, placeOf } from './find-calls.ts'

test('a call is found over the end of a line, with its method', () => {
  const text = "contentOf(\n  api.DELETE(\n    '/api/members', {}))\napi.GET('/api/audit')"
  expect(findCalls('a.tsx', text).map(({ endpoint }) => endpoint)).toEqual([
    'DELETE /api/members',
    'GET /api/audit',
  ])
})

test('a screen has the address of its route; what lies beside it, the shortest of its folder', () => {
  const routes = `createRoute({ path: '/team/new', component: import('../screens/team/new.tsx') })
    createRoute({ path: '/team', component: import('../screens/team/team.tsx') })`
  const screens = findScreens(routes)
  expect(placeOf('screens/team/new.tsx', screens)).toBe('/app/team/new')
  expect(placeOf('screens/team/remove.tsx', screens)).toBe('/app/team')
  expect(placeOf('session/log-in.ts', screens)).toBe('sign in')
  expect(placeOf('shell/shop-name.tsx', screens)).toBe('every screen')
})
