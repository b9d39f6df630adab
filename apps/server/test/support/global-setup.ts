import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { Script } from './kill/sale.ts'
import { cleanUpAfterUs } from './programs/watchdog.ts'
import {
  readEarlierSearches,
  readSecrets,
  searchesFiles,
  secretsFolderName,
} from './secrets/secret-register.ts'
import { mayHoldSecrets, SecretSearch } from './secrets/secret-search.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * URL of the server that starts shared objects. `/` returns the URL of PostgreSQL and `/chain` the path
     * of the chain state. `/kill/data` and `/kill/<script>` return the data of the kill tests.
     */
    sharedPostgresDoor: string
  }
}

/**
 * Starts shared objects at a test's first request: PostgreSQL (or uses `TEST_POSTGRES_URL`), a chain state
 * with the contracts, and seeded data. At the end, searches logs and database dumps for the registered
 * secrets. With `TEST_SECRETS_IN=files` (the deep tier), also searches the files and the WAL of PostgreSQL. A
 * hit fails the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const secretsFolder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
  chmodSync(secretsFolder, 0o700)
  const watchdog = cleanUpAfterUs(secretsFolder)
  process.env[secretsFolderName] = secretsFolder
  // Tests start the same programs hundreds of times, so Node.js caches their compiled code.
  process.env.NODE_COMPILE_CACHE ??= join(
    import.meta.dirname,
    '../../../../node_modules/.cache/sluice-test-code',
  )
  const isSearched = searchesFiles()
  // Imported on demand, so that a unit test file starts in a second.
  const references = once(async () => {
    const { KillReferences } = await import('./kill/references.ts')
    return new KillReferences()
  })
  const postgres = once(async () => {
    const { startSharedPostgres } = await import('./database/shared-postgres.ts')
    const url = process.env.TEST_POSTGRES_URL
    return url === undefined ? startSharedPostgres({ isSearched }) : { url, async stop() {} }
  })
  const chainState = once(async () => {
    const { writeChainState } = await import('./chain/chain-state.ts')
    const path = join(secretsFolder, 'chain-state.json')
    await writeChainState(path)
    return path
  })
  const respond = async (path = ''): Promise<string> => {
    if (path === '/chain') return chainState()
    const [, question] = /^\/kill\/(\w+)$/.exec(path) ?? []
    if (question === undefined) return (await postgres()).url
    const made = await references()
    return question === 'data' ? made.seededData() : JSON.stringify(await made.outcomeOf(question as Script))
  }
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    respond(request.url).then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.stack),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedPostgresDoor', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await (await references.started())?.stop()
    try {
      const search = new SecretSearch(readSecrets(secretsFolder))
      for (const name of ['logs', 'dumps']) search.searchFolder(join(secretsFolder, name))
      const started = await postgres.started()?.catch(() => undefined)
      await started?.stop(isSearched ? (folder) => search.searchFolder(folder, mayHoldSecrets) : undefined)
      report(search, readEarlierSearches(secretsFolder))
    } finally {
      rmSync(secretsFolder, { recursive: true, force: true })
      watchdog.leave()
    }
  }
}

/** Calls `start` only on the first call. `started` is its result, or `undefined` before that. */
function once<T>(start: () => Promise<T>): (() => Promise<T>) & { started(): Promise<T> | undefined } {
  let made: Promise<T> | undefined
  const call = () => {
    made ??= start()
    return made
  }
  return Object.assign(call, { started: () => made })
}

function report(search: SecretSearch, earlier: ReturnType<typeof readEarlierSearches>): void {
  if (search.secretCount === 0) return
  const megabytes = Math.round((search.byteCount + earlier.byteCount) / 1_000_000)
  const hits = [...search.hits, ...earlier.hits]
  console.log(
    `secrets: ${search.secretCount} made by the tests, ${megabytes} MB searched, ${hits.length} found`,
  )
  if (hits.length === 0) return
  const lines = hits.map(({ place, offset, begins }) => `  ${begins} in ${place} at ${offset}`)
  throw new Error(`Secrets found where none may be:\n${lines.slice(0, 40).join('\n')}`)
}
