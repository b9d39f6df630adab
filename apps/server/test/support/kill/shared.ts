import { inject } from 'vitest'
import { copyData, type DataCopy } from './data.ts'
import type { RunOutcome } from './outcome.ts'
import type { Script } from './sale.ts'

/** A copy of the data that a first start leaves behind: migrated, seeded, split deployed, and stopped. */
export async function copySeededData(): Promise<DataCopy> {
  return copyData(await ask('data'))
}

/** How a script ends against a service that nobody kills. */
export async function readReference(script: Script): Promise<RunOutcome> {
  return JSON.parse(await ask(script)) as RunOutcome
}

async function ask(question: string): Promise<string> {
  const answer = await fetch(`${inject('sharedPostgresDoor')}/kill/${question}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the service that nobody kills: ${text}`)
  return text
}
