import type { Job } from '../../../src/platform/jobs/ticker.ts'

const mostRounds = 500

/** One round of a job, and as many more as it asks for. */
export async function runToRest(job: Job): Promise<void> {
  for (let round = 0; round < mostRounds; round++)
    if ((await job.run(new AbortController().signal)) !== 'again') return
  throw new Error(`${job.name} does not come to rest`)
}
