import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sluice } from '../../sdk/src/sluice.ts'
import type { Environment, Input } from './command.ts'
import { CliFailure, exitCodes, usageError } from './failure.ts'

export type LocalJson = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
  readonly subscriptionKey: string
  readonly merchant: { readonly address: string }
  readonly databaseUrl: string
}

export type Target = { readonly baseUrl: string; readonly key: string | undefined }

export function dataDirOf(env: Environment, input: Input): string {
  return input.text('data') ?? (env.DATA_DIR?.trim() || 'data')
}

export function readLocal(env: Environment, input: Input): LocalJson | undefined {
  const path = join(dataDirOf(env, input), 'local.json')
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LocalJson
  } catch (error) {
    throw new CliFailure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * Returns the service and the key: from options, else from the environment, else from the local service. The
 * local key is only sent to the local service.
 */
export function findTarget(env: Environment, input: Input): Target {
  const local = readLocal(env, input)
  const url = input.text('url') ?? env.SLUICE_URL?.trim()
  const key = input.text('key') ?? env.SLUICE_KEY?.trim()
  const baseUrl = url || local?.baseUrl
  if (!baseUrl) {
    throw usageError(
      'No service found',
      'Set --url or SLUICE_URL, or start a service here with `npm start`, which writes data/local.json.',
    )
  }
  const isLocal = local !== undefined && trim(baseUrl) === trim(local.baseUrl)
  return { baseUrl, key: key || (isLocal ? local.subscriptionKey : undefined) }
}

export function openSluice(env: Environment, input: Input): Sluice {
  const { baseUrl, key } = findTarget(env, input)
  if (key === undefined)
    throw usageError('No subscription key found', 'Set SLUICE_KEY. The web app creates keys.')
  try {
    return new Sluice({ baseUrl, key })
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

function trim(url: string): string {
  return url.replace(/\/+$/, '')
}
