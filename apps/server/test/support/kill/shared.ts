import { inject } from 'vitest'
import type { LocalJson } from '../../../src/local/write-local-json.ts'
import { findServicePort } from '../programs/service-port.ts'
import { copyData, type DataCopy } from './data.ts'
import type { RunOutcome } from './outcome.ts'
import type { Script } from './sale.ts'
import { type Ending, readLocal, type ServiceOptions, type ServiceProcess, spawnService } from './service.ts'
import { settingsLike } from './settings.ts'

/** A copy of the data that a first start leaves behind: migrated, seeded, split deployed, and stopped. */
export async function copySeededData(): Promise<DataCopy> {
  return copyData(await ask('data'))
}

/** How a script ends against a service that nobody kills. */
export async function readReference(script: Script): Promise<RunOutcome> {
  return JSON.parse(await ask(script)) as RunOutcome
}

/** A service on a copy of the seeded data, ready. */
export type SeededService = ServiceProcess & {
  readonly data: DataCopy
  readonly port: number
  readonly local: LocalJson
  /** Ends it as Ctrl-C would, also where it stands still, and removes its data; says how it ended. */
  stop(): Promise<Ending>
}

/** Starts one. */
export async function spawnSeeded(options: Partial<ServiceOptions> = {}): Promise<SeededService> {
  const data = await copySeededData()
  const port = await findServicePort()
  const service = spawnService({ dataDir: data.dataDir, port, ...options })
  await service.ready
  return {
    ...service,
    data,
    port,
    local: await readLocal(data.dataDir),
    async stop() {
      const ending = await end(service)
      await data.remove()
      return ending
    },
  }
}

/** Starts a second service on the database and the chain of another, with a data directory of its own. */
export async function spawnBeside({ local, data }: SeededService, options: Partial<ServiceOptions> = {}) {
  const settings = { ...(await settingsLike(local, data.dataDir)), ...options.settings }
  const dataDir = `${data.dataDir}-of-another`
  const service = spawnService({ dataDir, port: await findServicePort(), ...options, settings })
  await service.ready
  return { ...service, stop: () => end(service) }
}

async function end(service: ServiceProcess): Promise<Ending> {
  for (const signal of ['SIGCONT', 'SIGTERM'] as const) service.signal(signal)
  return service.ended
}

async function ask(question: string): Promise<string> {
  const answer = await fetch(`${inject('sharedPostgresDoor')}/kill/${question}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the service that nobody kills: ${text}`)
  return text
}
