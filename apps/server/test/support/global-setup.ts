import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readEarlierSearches, readSecrets, secretsFolderName } from './secret-register.ts'
import { mayHoldSecrets, SecretSearch } from './secret-search.ts'
import { type SharedPostgres, startSharedPostgres } from './shared-postgres.ts'
import { cleanUpAfterUs } from './watchdog.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the run's PostgreSQL, which the first question starts. */
    sharedPostgresDoor: string
  }
}

/**
 * One PostgreSQL for the run, started when the first test asks for it and removed at the end; or the one that
 * `SLUICE_TEST_POSTGRES` leads to, which many runs share and none of them ends.
 *
 * Before that, its files and every log of the run are searched for the secrets that tests have written down. One
 * that is found fails the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const secretsFolder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
  chmodSync(secretsFolder, 0o700)
  cleanUpAfterUs(secretsFolder)
  process.env[secretsFolderName] = secretsFolder
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
    try {
      const search = new SecretSearch(readSecrets(secretsFolder))
      search.searchFolder(join(secretsFolder, 'logs'))
      const postgres = await starting?.catch(() => undefined)
      await postgres?.stop((folder) => search.searchFolder(folder, mayHoldSecrets))
      report(search, readEarlierSearches(secretsFolder))
    } finally {
      rmSync(secretsFolder, { recursive: true, force: true })
    }
  }
}

function report(search: SecretSearch, earlier: ReturnType<typeof readEarlierSearches>): void {
  if (search.secretCount === 0) return
  const megabytes = Math.round((search.byteCount + earlier.byteCount) / 1_000_000)
  const hits = [...search.hits, ...earlier.hits]
  console.log(
    `secrets: ${search.secretCount} made by the tests, ${megabytes} MB of files, WAL and logs searched, ${hits.length} found`,
  )
  if (hits.length === 0) return
  const lines = hits.map(({ place, offset, begins }) => `  ${begins} in ${place} at ${offset}`)
  throw new Error(`Secrets stand where none may be:\n${lines.slice(0, 40).join('\n')}`)
}
