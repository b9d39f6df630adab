import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Result of a block. */
export type Printed = { readonly isFine: boolean; readonly output: string; readonly errors: string }

/**
 * A reader's terminal: one shell that keeps its working directory, variables and background jobs between
 * blocks, and exits at the first command that fails.
 */
export class Terminal {
  readonly #shell: ChildProcess
  readonly #scripts: Promise<string>
  readonly #ended: Promise<void>
  readonly #listeners = new Set<() => void>()
  #isEnded = false
  #closing: Promise<void> | undefined
  #hasService = false
  #count = 0
  #output = ''
  #errors = ''

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#scripts = mkdtemp(join(tmpdir(), 'sluice-blocks-'))
    // Starts a separate process group, so that background processes of a block end with the terminal.
    this.#shell = spawn('sh', ['-e'], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#shell.stdin?.on('error', () => {})
    this.#shell.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk
      this.#report()
    })
    this.#shell.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#errors += chunk
      this.#report()
    })
    this.#ended = new Promise((resolve) => {
      this.#shell.once('exit', () => {
        this.#isEnded = true
        resolve()
        this.#report()
      })
    })
  }

  /** Runs a block verbatim and waits for its last command or, if `sign` is set, until `sign` is printed. */
  async run(text: string, sign?: string): Promise<Printed> {
    this.#count += 1
    this.#hasService ||= sign !== undefined
    const file = join(await this.#scripts, `${this.#count}.sh`)
    const mark = `done-${this.#count}-${Math.random().toString(36).slice(2)}`
    writeFileSync(file, text)
    this.#output = ''
    this.#errors = ''
    this.#shell.stdin?.write(`. ${file} < /dev/null\nprintf '%s\\n' ${mark}\n`)
    const isDone = () => this.#output.includes(mark) || (sign !== undefined && this.#output.includes(sign))
    while (!isDone() && !this.#isEnded) await this.#changes()
    return { isFine: isDone(), output: this.#output.replace(`${mark}\n`, ''), errors: this.#errors }
  }

  /**
   * Sends Ctrl-C and ends all processes of this terminal; a pending block fails. Background processes of a
   * shell ignore Ctrl-C and receive another signal.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#shell.stdin?.end()
    for (const [signal, waitMs] of [
      ['SIGINT', 15_000],
      ['SIGTERM', 5_000],
      ['SIGKILL', 5_000],
    ] as const) {
      const giveUpAt = Date.now() + (this.#hasService ? waitMs : 200)
      this.#signal(signal)
      while (this.#signal(0) && Date.now() < giveUpAt) await sleep(20)
    }
    await this.#ended
    await rm(await this.#scripts, { recursive: true, force: true })
  }

  /** Signals the process group. Returns `false` if no process of the group is left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#shell.pid !== undefined && process.kill(-this.#shell.pid, signal)
    } catch {
      return false
    }
  }

  #changes(): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        this.#listeners.delete(listener)
        resolve()
      }
      this.#listeners.add(listener)
    })
  }

  #report(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
