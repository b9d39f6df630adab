import { execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LocalJson, type LocalRole, localWallet } from '../../../src/local/local-settings.ts'
import { registerLocalSecrets } from '../secrets/local-secrets.ts'
import { keepLog, registerSecrets } from '../secrets/secret-register.ts'

const mainFile = fileURLToPath(new URL('../../../src/main.mjs', import.meta.url))
const mortalBuilder = fileURLToPath(new URL('./build-mortal.ts', import.meta.url))

export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Program = {
  readonly pid: number
  readonly ended: Promise<Ending>
  said(): string
  signal(signal: NodeJS.Signals): void
}

export type ServiceProcess = Program & {
  readonly ready: Promise<void>
}

export type ServiceOptions = {
  readonly dataDir: string
  readonly port: number
  readonly killAt?: string | undefined
  /** Whether the chain has the latency of a provider's endpoint. */
  readonly isFar?: boolean
  readonly isShort?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts `main.mjs`, or mortal-main.ts if an option requires it. */
export function spawnService(options: ServiceOptions): ServiceProcess {
  const { dataDir, port, killAt, isFar, isShort, settings = {} } = options
  const isPlain = killAt === undefined && !isFar && !isShort
  let isReady = false
  const ready = Promise.withResolvers<void>()
  const program = spawnProgram('service', isPlain ? mainFile : findMortal(), dataDir, {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'info',
      RATE_LIMIT_SCALE: '0',
      ...(killAt !== undefined && { KILL_AT: killAt }),
      ...(isFar && { IS_FAR: 'yes' }),
      ...(isShort && { IS_SHORT: 'yes' }),
      ...settings,
    },
    onText(text) {
      // A long log is not searched again after the service is ready.
      isReady ||= text.includes('"msg":"ready"')
      if (isReady) ready.resolve()
    },
  })
  registerSecrets(
    ...Object.keys(settings)
      .filter((name) => /^SLUICE_MASTER_KEY|_SECRET$|_KEY$/.test(name))
      .map((name) => settings[name]),
  )
  return { ...program, ready: orEnded(program, ready.promise) }
}

/** Starts a Node script. Its argument is the data directory, by which the watchdog finds the process. */
export function spawnProgram(
  name: string,
  script: string,
  dataDir: string,
  { env, onText }: { env?: NodeJS.ProcessEnv; onText(text: string): void },
): Program {
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [script, dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE, ...env },
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`the ${name} could not be started`)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      onText(text)
    })
  const ended = new Promise<Ending>((resolve) =>
    child.once('close', (code, signal) => {
      registerLocalSecrets(dataDir)
      keepLog(`${name}-${pid}`, text)
      resolve({ code, signal })
    }),
  )
  return { pid, ended, said: () => text, signal: (signal) => void child.kill(signal) }
}

/** Resolves with the value of `ready`. Rejects with the log if the program ends first. */
export function orEnded<T>({ ended, said }: Program, ready: Promise<T>): Promise<T> {
  const failed = ended.then(({ code, signal }) => {
    throw new Error(`it ended (${signal ?? code}) before it was ready:\n${said()}`)
  })
  return Promise.race([ready, failed])
}

let mortalFile: string | undefined

function findMortal(): string {
  mortalFile ??= execFileSync(process.execPath, [mortalBuilder], { encoding: 'utf8' }).trim()
  return mortalFile
}

export async function readLocal(dataDir: string): Promise<LocalJson> {
  return JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8')) as LocalJson
}

/** Returns the settings with which another process serves the same shop. */
export async function settingsLike(local: LocalJson, dataDir: string): Promise<Record<string, string>> {
  const masterKey = (await readFile(join(dataDir, 'master.key'), 'utf8')).trim()
  const wallet = (role: LocalRole) => localWallet(masterKey, role)
  return {
    BASE_URL: local.baseUrl,
    DATABASE_URL: local.databaseUrl,
    RPC_URLS: local.rpcUrl,
    CHAIN_ID: String(local.chainId),
    SLUICE_MASTER_KEY: masterKey,
    DEPLOYER_KEY: wallet('deployer').privateKey,
    KEEPER_KEY: wallet('keeper').privateKey,
    PLATFORM_RECIPIENT: wallet('platform').address,
  }
}
