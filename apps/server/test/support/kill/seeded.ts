import { inject } from 'vitest'
import type { LocalJson } from '../../../src/local/local-settings.ts'
import { type ApiResponse, type CallOptions, callApi } from '../api/call-api.ts'
import { findServicePort } from '../programs/service-port.ts'
import { copyData, type DataCopy } from './data.ts'
import type { RunOutcome } from './outcome.ts'
import type { Script } from './sale.ts'
import {
  type Ending,
  readLocal,
  type ServiceOptions,
  type ServiceProcess,
  settingsLike,
  spawnService,
} from './service.ts'

export async function copySeededData(): Promise<DataCopy> {
  return copyData(await ask('data'))
}

export async function readReference(script: Script): Promise<RunOutcome> {
  return JSON.parse(await ask(script)) as RunOutcome
}

export type SeededService = ServiceProcess & {
  readonly data: DataCopy
  readonly port: number
  readonly local: LocalJson
  /** Stops the service, even if it is frozen, and removes its data. */
  stop(): Promise<Ending>
}

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

export function callerOf({ baseUrl, subscriptionKey }: LocalJson) {
  return async (method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> => {
    const { key, session, body } = options
    const credentials = session
      ? { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: baseUrl }
      : key !== '' && { 'ocp-apim-subscription-key': key ?? subscriptionKey }
    return callApi(baseUrl, method, path, { body, headers: { ...credentials } })
  }
}

/** Requests a shared object from the process of the test run (global-setup.ts). */
async function ask(question: string): Promise<string> {
  const response = await fetch(`${inject('sharedPostgresDoor')}/kill/${question}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`the undisturbed service: ${text}`)
  return text
}
