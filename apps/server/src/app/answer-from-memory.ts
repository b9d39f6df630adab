import type { Caller } from '../access/caller.ts'
import type { Route, RouteInput, RouteOutput } from '../access/route.ts'
import { degradedMark, isDatastoreOutage, type LastAnswers } from '../platform/degraded.ts'

/** Reads that may be answered with what was last known (decisions: Degraded mode). */
const rememberedPaths: ReadonlySet<string> = new Set([
  '/api/receipts',
  '/api/inventory',
  '/api/shop/config',
  '/api/site/config',
])

/**
 * The routes, of which those reads answer from memory while the datastore is away: the same caller's last
 * answer to the same question, marked `degraded`. Without one the outage is told, never an empty list.
 */
export function answerFromMemory(answers: LastAnswers, routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    if (route.method !== 'GET' || !rememberedPaths.has(route.path)) return route
    return { ...route, handle: (input) => answerOrRemember(answers, route, input) }
  })
}

async function answerOrRemember(
  answers: LastAnswers,
  route: Route,
  input: RouteInput<never, never, never>,
): Promise<RouteOutput> {
  const key = JSON.stringify([
    route.path,
    whoIs(input.caller),
    input.merchantWallet,
    input.params,
    input.query,
  ])
  try {
    const output = await route.handle(input)
    if (output.status === 200 && isObject(output.body)) answers.remember(key, output.body)
    return output
  } catch (error) {
    const known = isDatastoreOutage(error) ? answers.find(key) : undefined
    if (!known) throw error
    return { status: 200, body: { ...known, ...degradedMark } }
  }
}

/** What an answer may depend upon: whose data it is, and what of it he may see. */
function whoIs(caller: Caller): unknown[] {
  if (caller.kind === 'subscription') return [caller.kind, caller.merchant, caller.scopes]
  if (caller.kind === 'session') return [caller.kind, caller.merchant, caller.role]
  return [caller.kind]
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
