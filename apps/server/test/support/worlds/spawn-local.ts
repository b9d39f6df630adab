import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { registerLocalSecrets } from '../secrets/local-secrets.ts'
import { keepLog } from '../secrets/secret-register.ts'

const script = fileURLToPath(new URL('./local-child.ts', import.meta.url))

/** What the process says when database and chain run. */
export type LocalReady = { readonly databaseUrl: string; readonly rpcUrl: string }

/** A local start in a process of its own, which a test can kill. */
export type LocalProcess = {
  readonly child: ChildProcess
  /** Rejects, with what the process has written, where it ends before it is ready. */
  readonly ready: Promise<LocalReady>
  /** Ends it as Ctrl-C would and gives its exit code. */
  end(): Promise<number | null>
  /** kill -9. */
  kill(): Promise<void>
}

/** Starts `local-child.ts` on a data directory. */
export function spawnLocal(dataDir: string): LocalProcess {
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [script, dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE },
  })
  const ended = once(child, 'close').then(() => {
    registerLocalSecrets(dataDir)
    keepLog(`local-${child.pid}`, said)
  })
  let said = ''
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const ready = new Promise<LocalReady>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk
      if (printed.includes('\n')) resolve(JSON.parse(printed) as LocalReady)
    })
    ended.then(() => reject(new Error(`it ended before it was ready:\n${said}`)))
  })
  ready.catch(() => {})
  return {
    child,
    ready,
    async end() {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
