import { type ChildProcess, fork } from 'node:child_process'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { Semaphore } from '../../kernel/turns/semaphore.ts'
import { plainEnvironment } from './unprivileged-user.ts'

export type ChildProgram = {
  readonly file: string
  readonly memoryMb: number
  readonly timeoutMs: number
}

const idleMs = 30_000

/**
 * Runs work that is expensive, or that hostile input could break, in a child process, one request at a time.
 *
 * The child does not get the service's settings. It starts with the first request. If it dies or exceeds the
 * time limit, the next request starts a new one.
 */
export class ChildWorker<Request, Reply> {
  readonly #clock: Clock
  readonly #program: ChildProgram
  readonly #semaphore = new Semaphore(1)
  #child: ChildProcess | undefined
  #cancelIdle: Cancel = () => {}
  #count = 0
  #isClosed = false

  constructor(needs: { readonly clock: Clock }, program: ChildProgram) {
    this.#clock = needs.clock
    this.#program = program
  }

  /** Returns the reply, or `undefined` if the process died, took too long or was closed. */
  run(request: Request): Promise<Reply | undefined> {
    return this.#semaphore.run(() => this.#ask(request))
  }

  close(): void {
    this.#isClosed = true
    this.#end()
  }

  async #ask(request: Request): Promise<Reply | undefined> {
    if (this.#isClosed) return undefined
    this.#cancelIdle()
    const child = this.#child?.connected ? this.#child : this.#start()
    const id = this.#count++
    const reply = await new Promise<Reply | undefined>((resolve) => {
      const settle = (reply: Reply | undefined) => {
        cancel()
        child.off('message', hear).off('exit', lose).off('error', lose)
        resolve(reply)
      }
      const hear = (response: { id: number; reply: Reply }) => response.id === id && settle(response.reply)
      const lose = () => {
        this.#end()
        settle(undefined)
      }
      const cancel = this.#clock.after(this.#program.timeoutMs, lose)
      child.on('message', hear).once('exit', lose).once('error', lose)
      child.send({ id, request }, (error) => error && lose())
    })
    this.#cancelIdle = this.#clock.after(idleMs, () => this.#end())
    return reply
  }

  #start(): ChildProcess {
    const child = fork(this.#program.file, [], {
      env: plainEnvironment(),
      execArgv: [`--max-old-space-size=${this.#program.memoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    this.#child = child
    return child
  }

  #end(): void {
    this.#cancelIdle()
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

/** Handles requests in the child until the parent ends. `handle` must not throw. */
export function serveParent<Request, Reply>(handle: (request: Request) => Promise<Reply>): void {
  process.on('message', async ({ id, request }: { id: number; request: Request }) => {
    process.send?.({ id, reply: await handle(request) })
  })
  process.on('disconnect', () => process.exit())
}
