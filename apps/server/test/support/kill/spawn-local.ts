import { fileURLToPath } from 'node:url'
import { type Ending, orEnded, type Program, spawnProgram } from './service.ts'

const script = fileURLToPath(new URL('./local-child.ts', import.meta.url))

type LocalReady = { readonly databaseUrl: string; readonly rpcUrl: string }

/** The local database and chain, in a process that a test can kill. */
export type LocalProcess = Program & {
  /** Rejects with the log if the process ends before it is ready. */
  readonly ready: Promise<LocalReady>
  end(signal?: NodeJS.Signals): Promise<Ending>
}

export function spawnLocal(dataDir: string): LocalProcess {
  const printed = Promise.withResolvers<LocalReady>()
  const program = spawnProgram('local', script, dataDir, {
    onText(text) {
      const line = /^\{"databaseUrl".*\}$/m.exec(text)
      if (line) printed.resolve(JSON.parse(line[0]))
    },
  })
  const ready = orEnded(program, printed.promise)
  ready.catch(() => {})
  return {
    ...program,
    ready,
    end(signal = 'SIGTERM') {
      program.signal(signal)
      return program.ended
    },
  }
}
