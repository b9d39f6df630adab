import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { KillReferences } from './kill-references.ts'
import { isScript } from './kill-sale.ts'
import { type SharedPostgres, startSharedPostgres } from './shared-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Answers with the URL of the run's PostgreSQL, which the first question starts; below `/kill/` with what
     * the tests that kill services have in common.
     */
    sharedPostgresDoor: string
  }
}

/** One PostgreSQL for the run and one seeded service, each made when the first test asks for it and removed at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<SharedPostgres> | undefined
  const references = new KillReferences()
  const answer = async (path = ''): Promise<string> => {
    const [, question] = /^\/kill\/(\w+)$/.exec(path) ?? []
    if (question === 'data') return references.seededData()
    if (isScript(question)) return JSON.stringify(await references.outcomeOf(question))
    starting ??= startSharedPostgres()
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
    await starting?.then(
      (postgres) => postgres.stop(),
      () => {},
    )
  }
}
