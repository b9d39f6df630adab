import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type SharedPostgres, startSharedPostgres } from './database/shared-postgres.ts'
import { KillReferences } from './kill/references.ts'
import { isScript } from './kill/sale.ts'
import { cleanUpAfterUs } from './programs/watchdog.ts'
import { readEarlierSearches, readSecrets, secretsFolderName } from './secrets/secret-register.ts'
import { mayHoldSecrets, SecretSearch } from './secrets/secret-search.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Answers with the URL of the run's PostgreSQL, which the first question starts; below `/kill/` with what
     * the tests that kill services have in common.
     */
    sharedPostgresDoor: string
  }
}

/**
 * One PostgreSQL for the run, started when the first test asks for it and removed at the end; or the one that
 * `TEST_POSTGRES_URL` leads to, which many runs share and none of them ends. One seeded service likewise.
 *
 * Before that, its files and every log of the run are searched for the secrets that tests have written down. One
 * that is found fails the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const secretsFolder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
  chmodSync(secretsFolder, 0o700)
  const watchdog = cleanUpAfterUs(secretsFolder)
  process.env[secretsFolderName] = secretsFolder
  // The same programs are started hundreds of times: what Node has compiled of them once is kept.
  process.env.NODE_COMPILE_CACHE ??= join(
    import.meta.dirname,
    '../../../../node_modules/.cache/sluice-test-code',
  )
  const shared = process.env.TEST_POSTGRES_URL
  let starting: Promise<SharedPostgres> | undefined
  const references = new KillReferences()
  const answer = async (path = ''): Promise<string> => {
    const [, question] = /^\/kill\/(\w+)$/.exec(path) ?? []
    if (question === 'data') return references.seededData()
    if (isScript(question)) return JSON.stringify(await references.outcomeOf(question))
    starting ??=
      shared === undefined ? startSharedPostgres() : Promise.resolve({ url: shared, async stop() {} })
    return (await starting).url
  }
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(request.url).then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.stack),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedPostgresDoor', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await references.stop()
    try {
      const search = new SecretSearch(readSecrets(secretsFolder))
      search.searchFolder(join(secretsFolder, 'logs'))
      const postgres = await starting?.catch(() => undefined)
      await postgres?.stop((folder) => search.searchFolder(folder, mayHoldSecrets))
      report(search, readEarlierSearches(secretsFolder))
    } finally {
      rmSync(secretsFolder, { recursive: true, force: true })
      watchdog.leave()
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
