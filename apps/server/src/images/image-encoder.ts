import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cancel, Clock } from '../kernel/clock.ts'
import { Lane } from '../kernel/turns/lane.ts'
import { ownBytes } from '../platform/own-bytes.ts'
import { plainEnvironment } from '../platform/process/unprivileged-user.ts'
import type { EncodeReply, EncodeRequest } from './encode-child.ts'
import { type ImageKind, type ImageOutcome, imageLimits } from './image.ts'

const program = fileURLToPath(new URL('./encode-child.ts', import.meta.url))
/** After so long without a picture its process is ended. */
const idleMs = 30_000
const memoryMb = 96

/**
 * Makes pictures anew, one at a time, in a process of its own. That one is started with the first picture and ended
 * when none has come for a while; where it dies over a picture, or takes too long, the next picture gets a new one.
 */
export class ImageEncoder {
  readonly #clock: Clock
  readonly #lane = new Lane(1)
  #child: ChildProcess | undefined
  #cancelIdle: Cancel = () => {}
  #count = 0
  #isClosed = false

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
  }

  /** The picture in the widths of its kind, or why there is none. */
  encode(bytes: Uint8Array, kind: ImageKind): Promise<ImageOutcome> {
    return this.#lane.run(() => this.#ask({ id: this.#count++, bytes, kind }))
  }

  /** Ends the process; pictures under way end with a fault. */
  close(): void {
    this.#isClosed = true
    this.#end()
  }

  async #ask(request: EncodeRequest): Promise<ImageOutcome> {
    if (this.#isClosed) return { kind: 'fault', fault: 'busy' }
    this.#cancelIdle()
    const child = this.#child?.connected ? this.#child : this.#start()
    const outcome = await new Promise<EncodeReply['outcome']>((resolve) => {
      const settle = (outcome: EncodeReply['outcome']) => {
        cancel()
        child.off('message', hear).off('exit', lose).off('error', lose)
        resolve(outcome)
      }
      const hear = (reply: EncodeReply) => reply.id === request.id && settle(reply.outcome)
      const lose = () => {
        this.#end()
        settle({ fault: 'not-an-image' })
      }
      const cancel = this.#clock.after(imageLimits.encodeMs, lose)
      child.on('message', hear).once('exit', lose).once('error', lose)
      child.send(request, (error) => error && lose())
    })
    this.#cancelIdle = this.#clock.after(idleMs, () => this.#end())
    if ('fault' in outcome) return { kind: 'fault', fault: outcome.fault }
    const variants = outcome.image.variants.map(({ width, body }) => ({ width, body: ownBytes(body) }))
    return { kind: 'image', image: { ...outcome.image, variants } }
  }

  #start(): ChildProcess {
    const child = fork(program, [], {
      env: plainEnvironment(),
      execArgv: [`--max-old-space-size=${memoryMb}`],
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
