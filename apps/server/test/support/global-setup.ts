import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type SharedPostgres, startSharedPostgres } from './shared-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the run's PostgreSQL, which the first question starts. */
    sharedPostgresDoor: string
  }
}

/**
 * One PostgreSQL for the run, started when the first test asks for it and removed at the end; or the one that
 * `SLUICE_TEST_POSTGRES` leads to, which many runs share and none of them ends.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = process.env.SLUICE_TEST_POSTGRES
  let starting: Promise<SharedPostgres> | undefined
  const server = createServer((_request, response) => {
    starting ??=
      shared === undefined ? startSharedPostgres() : Promise.resolve({ url: shared, async stop() {} })
    starting.then(
      ({ url }) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.stack),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedPostgresDoor', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await starting?.then(
      (postgres) => postgres.stop(),
      () => {},
    )
  }
}
