import { setTimeout as pause } from 'node:timers/promises'
import type { LocalJson } from '../../../src/local/local-settings.ts'
import { isLeft } from '../programs/temporary-folder.ts'
import { type Ending, readLocal, type ServiceOptions, type ServiceProcess, spawnService } from './service.ts'

/** A service with short timings that restarts after each kill, as under a supervisor. */
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

  /** @param killAts - The moments at which successive processes kill themselves. Later processes survive. */
  constructor(options: ServiceOptions, killAts: readonly string[] = []) {
    this.#options = { isShort: true, ...options }
    this.#killAts = [...killAts]
    this.#current = this.#spawn()
    this.#settled = this.#watch()
  }

  get deathCount(): number {
    return this.#deathCount
  }

  get pid(): number {
    return this.#current.pid
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#options.port}`
  }

  get said(): string {
    return this.#said + this.#current.said()
  }

  async ready(): Promise<LocalJson> {
    await this.untilReady()
    return readLocal(this.#options.dataDir)
  }

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

  kill(): void {
    this.#current.signal('SIGKILL')
  }

  killForGood(): void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#dead = promise
    this.#revive = resolve
    this.kill()
  }

  async revive(): Promise<void> {
    const service = this.#current
    this.#revive()
    while (this.#current === service) await pause(20)
    await this.untilReady()
  }

  async stop(): Promise<Ending> {
    return this.#end('SIGTERM')
  }

  /** Kills the service without a restart. The programs that it has started continue. */
  async abandon(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<Ending> {
    this.#isStopping = true
    this.#revive()
    this.#current.signal(signal)
    await this.#settled
    return this.#current.ended
  }

  async #watch(): Promise<void> {
    for (;;) {
      const ending = await this.#current.ended
      if (!this.#isToBeRevived(ending) || this.#isStopping) return
      this.#deathCount++
      await this.#dead
      if (this.#isStopping || isLeft(this.#options.dataDir)) return
      this.#said += `${this.#current.said()}\n--- killed; started again ---\n`
      this.#current = this.#spawn()
    }
  }

  #isToBeRevived({ signal }: Ending): boolean {
    return signal === 'SIGKILL'
  }

  #spawn(): ServiceProcess {
    const service = spawnService({ ...this.#options, killAt: this.#killAts.shift() })
    service.ready.catch(() => {})
    return service
  }
}
