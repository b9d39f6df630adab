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
    method: Parameters<Replica['call']>[0],
    path: string,
    options: Parameters<Replica['call']>[2],
    then: (response: Response) => void,
  ): Promise<void> {
    return this.run(replica, `${method} ${path.split('?')[0]}`, async (call) => {
      const response = await call(method, path, options)
      if (!replica.isDead) then(response)
    })
  }

  /** Sends several requests as one task of the replica. */
  async run(replica: Replica, what: string, work: (call: Replica['call']) => Promise<void>): Promise<void> {
    const world = this.#world
    this.isBusy = true
    world.say(`${this.name}: ${what} at ${replica.name}`)
    await world.scheduler.start(replica, what, async () => {
      try {
        await work(async (method, path, options) => {
          const response = await replica.call(method, path, options)
          if (replica.isDead) return response
          world.say(`${this.name}: ${what} responds ${response.status}`)
          if (response.status === 500) throw new Error(`${path}: ${response.text}`)
          return response
        })
      } finally {
        this.isBusy = false
      }
    })
  }
}
