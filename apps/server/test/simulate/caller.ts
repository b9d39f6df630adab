import type { Replica } from './replica.ts'
import type { World } from './world.ts'

type Response = Awaited<ReturnType<Replica['call']>>

/** Somebody who sends one request at a time. */
export class Caller {
  readonly name: string
  isBusy = false
  readonly #world: World

  constructor(world: World, name: string) {
    this.#world = world
    this.name = name
  }

  /** Sends a request as a task of the replica. `then` is not called if the replica dies. */
  ask(
    replica: Replica,
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    options: Parameters<Replica['call']>[2],
    then: (response: Response) => void,
  ): Promise<void> {
    const what = `${method} ${path.split('?')[0]}`
    this.#world.say(`${this.name}: ${what} at ${replica.name}`)
    return this.run(replica, `${method} ${path}`, async () => {
      const response = await replica.call(method, path, options)
      if (replica.isDead) return
      this.#world.say(`${this.name}: ${what} responds ${response.status}`)
      if (response.status === 500) throw new Error(`${path}: ${response.text}`)
      then(response)
    })
  }

  /** Does work with requests as a task of the replica. */
  async run(replica: Replica, name: string, work: () => Promise<void>): Promise<void> {
    this.isBusy = true
    await this.#world.scheduler.start(replica, name, async () => {
      try {
        await work()
      } finally {
        this.isBusy = false
      }
    })
  }
}
