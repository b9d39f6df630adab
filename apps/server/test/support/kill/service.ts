import { execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LocalJson } from '../../../src/local/write-local-json.ts'
import { isLeft } from '../programs/temporary-folder.ts'
import { registerLocalSecrets } from '../secrets/local-secrets.ts'
import { keepLog, registerSecrets } from '../secrets/secret-register.ts'

const mainFile = fileURLToPath(new URL('../../../src/main.mjs', import.meta.url))
const mortalBuilder = fileURLToPath(new URL('./build-mortal.ts', import.meta.url))

const secretSettings = [
  'SLUICE_MASTER_KEY',
  'SLUICE_MASTER_KEY_OLD',
  'JWT_SECRET',
  'EDGE_SECRET',
  'DEPLOYER_KEY',
  'KEEPER_KEY',
] as const

/** How a process ended. */
export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The service in a process of its own. */
export type ServiceProcess = {
  readonly pid: number
  /** Rejects, with what the process has logged, where it ends before it is ready. */
  readonly ready: Promise<void>
  readonly ended: Promise<Ending>
  /** What it has written so far, log and all. */
  said(): string
  signal(signal: NodeJS.Signals): void
}

/** What a service process is told: where its data is, and more settings where they differ. */
export type ServiceOptions = {
  readonly dataDir: string
  readonly port: number
  /** Makes the process kill itself at that moment (kill-seams.ts). */
  readonly killAt?: string | undefined
  /** Puts its chain as far away as a provider's endpoint is. */
  readonly isFar?: boolean
  /** Runs with {@link shortTimings} in place of the timings of the product. */
  readonly isShort?: boolean
  /** Whether its supervisor starts it anew also where it ends by itself with an error. */
  readonly isRestarted?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts `main.mjs`, or the same service with what a test puts into its seams. */
export function spawnService({
  dataDir,
  port,
  killAt,
  isFar,
  isShort,
  settings,
}: ServiceOptions): ServiceProcess {
  const isPlain = killAt === undefined && !isFar && !isShort
  // The data directory stands in the arguments too, which nobody reads: by it the process is found and ended
  // should the test die.
  const child = spawn(process.execPath, [isPlain ? mainFile : findMortal(), dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'info',
      // A load is a load here, not an abuse.
      RATE_LIMIT_SCALE: '0',
      ...(killAt !== undefined && { KILL_AT: killAt }),
      ...(isFar && { IS_FAR: 'yes' }),
      ...(isShort && { IS_SHORT: 'yes' }),
      ...settings,
    },
  })
  if (child.pid === undefined) throw new Error('the service could not be started')
  let text = ''
  let isReady = false
  const ready = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text += chunk
      // Once is enough: a log that grows is not to be searched again at each line.
      isReady ||= text.includes('"msg":"ready"')
      if (isReady) ready.resolve()
    })
  }
  registerSecrets(...secretSettings.map((name) => settings?.[name]))
  const ended = new Promise<Ending>((resolve) =>
    child.once('close', (code, signal) => {
      registerLocalSecrets(dataDir)
      keepLog(`service-${child.pid}`, text)
      resolve({ code, signal })
    }),
  )
  return {
    pid: child.pid,
    ready: Promise.race([
      ready.promise,
      ended.then(({ code, signal }) => {
        throw new Error(`the service ended (${signal ?? code}) before it was ready:\n${text}`)
      }),
    ]),
    ended,
    said: () => text,
    signal: (signal) => void child.kill(signal),
  }
}

let mortalFile: string | undefined

/** The service that can be killed, in few files: built once for all tests, like the one that runs by itself. */
function findMortal(): string {
  mortalFile ??= join(
    execFileSync(process.execPath, [mortalBuilder], { encoding: 'utf8' }).trim(),
    'main.mjs',
  )
  return mortalFile
}

/** A service that is started anew each time it is killed: what a supervisor does. */
export class SupervisedService {
  readonly #options: ServiceOptions
  readonly #killAts: string[]
  readonly #settled: Promise<void>
  #current: ServiceProcess
  #said = ''
  #deathCount = 0
  #isStopping = false
  #dead: Promise<void> = Promise.resolve()
  #revive = () => {}

  /** @param killAts - At which moment each process in turn kills itself; those after the last live on. */
  constructor(options: ServiceOptions, killAts: readonly string[] = []) {
    this.#options = options
    this.#killAts = [...killAts]
    this.#current = this.#spawn()
    this.#settled = this.#watch()
  }

  /** How often it was killed so far. */
  get deathCount(): number {
    return this.#deathCount
  }

  get pid(): number {
    return this.#current.pid
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#options.port}`
  }

  /** All that its processes have written. */
  get said(): string {
    return this.#said + this.#current.said()
  }

  /** Waits until a process of it is ready, and gives what that has written into local.json. */
  async ready(): Promise<LocalJson> {
    await this.untilReady()
    return readLocal(this.#options.dataDir)
  }

  /** Waits until a process of it is ready. */
  async untilReady(): Promise<void> {
    for (;;) {
      const service = this.#current
      const isReady = await service.ready.then(
        () => true,
        () => false,
      )
      if (isReady) return
      if (!this.#isToBeRevived(await service.ended)) return service.ready
      while (this.#current === service) await pause(20)
    }
  }

  /** kill -9, from outside. */
  kill(): void {
    this.#current.signal('SIGKILL')
  }

  /** As {@link kill}, and nobody starts it anew until {@link revive}. */
  killForGood(): void {
    this.#dead = new Promise((resolve) => {
      this.#revive = resolve
    })
    this.kill()
  }

  /** Starts it anew and waits until it is ready. */
  async revive(): Promise<void> {
    const service = this.#current
    this.#revive()
    while (this.#current === service) await pause(20)
    await this.untilReady()
  }

  /** Ends it as Ctrl-C would, and says how it ended. */
  async stop(): Promise<Ending> {
    this.#isStopping = true
    this.#revive()
    this.#current.signal('SIGTERM')
    await this.#settled
    return this.#current.ended
  }

  /** Ends it by force, and nobody starts it anew; without effect on one that has ended. What it has started stays. */
  async abandon(): Promise<void> {
    this.#isStopping = true
    this.#revive()
    this.#current.signal('SIGKILL')
    await this.#settled
  }

  async #watch(): Promise<void> {
    for (;;) {
      const ending = await this.#current.ended
      if (!this.#isToBeRevived(ending) || this.#isStopping) return
      this.#deathCount++
      await this.#dead
      if (this.#isStopping || isLeft(this.#options.dataDir)) return
      this.#said += `${this.#current.said()}\n--- killed; started anew ---\n`
      this.#current = this.#spawn()
    }
  }

  #isToBeRevived({ signal, code }: Ending): boolean {
    return signal === 'SIGKILL' || (this.#options.isRestarted === true && code !== 0)
  }

  #spawn(): ServiceProcess {
    const service = spawnService({ isShort: true, ...this.#options, killAt: this.#killAts.shift() })
    service.ready.catch(() => {})
    return service
  }
}

/** What the last service that became ready there has written into local.json. */
export async function readLocal(dataDir: string): Promise<LocalJson> {
  return JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8')) as LocalJson
}
