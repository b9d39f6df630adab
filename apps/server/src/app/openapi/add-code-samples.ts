import { sampleCalls } from './sample-calls.ts'
import { writeSamples } from './write-samples.ts'

type Json = Readonly<Record<string, unknown>>

const howToRun =
  'The samples run as they are (TypeScript as a module, `.mts`). They read the address of the service from ' +
  '`SLUICE_URL`, the key from `SLUICE_KEY`, and other path parameters from variables of the same name. Operations ' +
  'that require a session read the cookie from `SLUICE_SESSION` and its `csrfToken` from `SLUICE_CSRF`.'

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
  const info = document.info as Json
  const description = `${info.description}\n\n${howToRun}`
  return { ...document, info: { ...info, description }, paths: Object.fromEntries(described) }
}
