import type { Sample } from './route-sample.ts'
import { payingSamples } from './samples-paying.ts'
import { sellingSamples } from './samples-selling.ts'
import { loginSamples, teamSamples } from './samples-team.ts'

/** For every endpoint under /api how it is used rightly. In this order each can be used after those before. */
export const samples: Readonly<Record<string, Sample>> = {
  ...payingSamples,
  ...sellingSamples,
  ...teamSamples,
  ...loginSamples,
}
