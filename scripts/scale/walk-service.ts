import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { readConfig } from '../../apps/server/src/platform/settings/config.ts'
import { runSluice } from '../../apps/server/src/run.ts'

/** A running service, and how to ask it. */
export type WalkService = {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Starts the service on a database, with a chain of its own in its folder. */
export async function openWalkService(settings: {
  readonly dataDir: string
  readonly databaseUrl: string
}): Promise<WalkService> {
  const { dataDir, databaseUrl } = settings
  const parts: { stop(): Promise<void> }[] = []
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    RATE_LIMIT_SCALE: '0',
  })
  const stop = async () => {
    for (const part of parts.reverse()) await part.stop()
  }
  try {
    await runSluice(config, makeLog('silent'), { keep: (part) => void parts.push(part) })
  } catch (error) {
    await stop()
    throw error
  }
  const { baseUrl, subscriptionKey } = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'))
  return { baseUrl, headers: { 'x-api-key': subscriptionKey, 'content-type': 'application/json' }, stop }
}
