import { jobNames } from '../../src/platform/jobs/names.ts'
import type { JobName } from '../support/api/start-api.ts'

/** Jobs for payments by signature. */
export const relayWork: readonly JobName[] = [jobNames.relayPayments, jobNames.relayPayments]

/** Jobs for changes of recipients. */
export const splitWork: readonly JobName[] = [
  ...[jobNames.deploySplits, jobNames.deploySplits],
  ...[jobNames.applySplitChanges, jobNames.applySplitChanges],
]
