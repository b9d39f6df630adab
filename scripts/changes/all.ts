import type { Change } from './change.ts'
import { network, scope, token, webhookField } from './facts.ts'
import { failureCode, job, page, rateSource, setting } from './service.ts'

/** The changes that are proved, in the order of ARCHITECTURE.md. */
export const changes: readonly Change[] = [
  token,
  network,
  failureCode,
  webhookField,
  scope,
  rateSource,
  setting,
  job,
  page,
]
