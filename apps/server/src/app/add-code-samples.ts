import { sampleCalls } from './sample-calls.ts'
import { writeSamples } from './write-samples.ts'

type Json = Readonly<Record<string, unknown>>

/** The API's document with samples in curl, TypeScript and Python at each operation that has one. */
export function addCodeSamples(document: Json): Json {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Json>>>>
  const described = Object.entries(paths).map(([path, operations]) => {
    const withSamples = Object.entries(operations).map(([method, operation]) => {
      const name = method.toUpperCase()
      const call = sampleCalls[`${name} ${path}`]
      return [method, call ? { ...operation, 'x-codeSamples': writeSamples(name, call) } : operation]
    })
    return [path, Object.fromEntries(withSamples)]
  })
  return { ...document, paths: Object.fromEntries(described) }
}
