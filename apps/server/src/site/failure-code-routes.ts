import { failureCodeList } from '@sluice/protocol/api/failure-codes.ts'
import { type Failure, failures } from '@sluice/protocol/failure-catalogue.ts'
import { type Route, route } from '../access/route.ts'

/** The catalogue of failures (decisions: Card and bank payments). */
export function failureCodeRoutes(): Route[] {
  const failureCodes = Object.entries(failures).map(([code, failure]: [string, Failure]) => ({
    code,
    ...failure,
  }))
  return [
    route({
      method: 'GET',
      path: '/api/failure-codes',
      access: { kind: 'public' },
      summary: 'List failure codes',
      details: 'Each comes with its meaning and whether a retry helps.',
      answers: { 200: failureCodeList },
      async handle() {
        return { status: 200, body: { failureCodes } }
      },
    }),
  ]
}
