import type { Pool } from '../../src/platform/database/database.ts'
import type { Cluster } from './cluster.ts'
import { copyDatabase, restoreDatabase } from './database-copy.ts'
import type { World } from './world.ts'

/** Somebody or something that knows what the service acknowledged. */
export type Witness = {
  /** Returns a function that forgets what the service acknowledged since now. */
  remember(): () => void
}

/** Time in which nobody serves. Numbers of attempts are counted by the second. */
const restoreSeconds = 2
const youngestMs = 3_000
/** An older copy is searched for lost addresses second by second, so a long lost time takes long. */
const oldestMs = 40_000

/**
 * Copies of the database, of which an older one may take its place. The service forgets what people did in
 * between. The chain and the people do not.
 */
export class OlderCopy {
  readonly #pool: Pool
  readonly #world: World
  readonly #cluster: Cluster
  readonly #witnesses: readonly Witness[]
  #copy: { readonly takenAt: number; readonly forget: readonly (() => void)[] } | undefined

  constructor(pool: Pool, world: World, cluster: Cluster, witnesses: readonly Witness[]) {
    this.#pool = pool
    this.#world = world
    this.#cluster = cluster
    this.#witnesses = witnesses
  }

  /** Puts the copy in place of the database. Takes a copy if there is none, or if it is too old. */
  async act(): Promise<void> {
    const { clock } = this.#world
    const copy = this.#copy
    const ageMs = copy ? clock.now() - copy.takenAt : Number.POSITIVE_INFINITY
    if (ageMs < youngestMs) return
    if (copy && ageMs <= oldestMs) return this.#restore(copy.forget)
    await copyDatabase(this.#pool)
    const forget = this.#witnesses.map((each) => each.remember())
    this.#copy = { takenAt: clock.now(), forget }
    this.#world.say('a copy of the database is taken')
  }

  async #restore(forget: readonly (() => void)[]): Promise<void> {
    this.#copy = undefined
    this.#world.isRestored = true
    this.#world.say('the copy takes the place of the database')
    await this.#cluster.restart(async () => {
      await this.#cluster.pass(restoreSeconds, 1)
      await restoreDatabase(this.#pool)
      for (const each of forget) each()
    })
  }
}
