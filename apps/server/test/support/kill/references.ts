import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../programs/temporary-folder.ts'
import { copyData, seedData } from './data.ts'
import type { RunOutcome } from './outcome.ts'
import { playRun } from './run.ts'
import { type Script, sales } from './sale.ts'

/** Seeded data and the outcomes of undisturbed runs. The first request creates them for all test files. */
export class KillReferences {
  #seeding: Promise<string> | undefined
  #folder: TemporaryFolder | undefined
  readonly #outcomes = new Map<Script, Promise<RunOutcome>>()

  seededData(): Promise<string> {
    this.#seeding ??= this.#seed()
    return this.#seeding
  }

  async outcomeOf(script: Script): Promise<RunOutcome> {
    const original = await this.seededData()
    const known = this.#outcomes.get(script)
    if (known) return known
    const played = copyData(original).then((data) => playRun({ data, sales: sales[script] }))
    this.#outcomes.set(script, played)
    played.catch(() => this.#outcomes.delete(script))
    return played
  }

  async stop(): Promise<void> {
    await this.#seeding?.catch(() => {})
    await Promise.allSettled(this.#outcomes.values())
    await this.#folder?.remove()
  }

  async #seed(): Promise<string> {
    this.#folder = await makeTemporaryFolder('seeded')
    const dataDir = join(this.#folder.path, 'data')
    await seedData(dataDir)
    return dataDir
  }
}
