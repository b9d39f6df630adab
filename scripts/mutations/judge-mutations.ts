import { posix } from 'node:path'
import { findPlace, type Sources } from './find-place.ts'
import type { Mutation } from './mutation.ts'

/**
 * What is wrong with each entry of the list that does not fit the source, by its name: what it would break is
 * gone or not alone, it changes nothing, it names no test or one that does not exist, or it stands there twice.
 *
 * @param testFiles - Paths of all tests, those of the contracts included.
 */
export function judgeMutations(
  mutations: readonly Mutation[],
  sources: Sources,
  testFiles: readonly string[],
): Map<string, string> {
  const names = mutations.map(({ name }) => name)
  const known = new Set(testFiles)
  const faults = new Map<string, string>()
  for (const [i, mutation] of mutations.entries()) {
    const { name, find, replace, tests } = mutation
    const place = findPlace(sources, mutation)
    if (typeof place === 'string') faults.set(name, place)
    else if (find === replace) faults.set(name, 'it changes nothing')
    else if (tests.length === 0) faults.set(name, 'it names no tests')
    else if (names.indexOf(name) !== i) faults.set(name, 'it stands in the list twice')
    else {
      const missing = tests.find((test) => !known.has(testPath(place.path, test)))
      if (missing !== undefined) faults.set(name, `there is no test ${missing}`)
    }
  }
  return faults
}

/** Whether a file belongs to the contracts, whose tests forge runs. */
export function isContract(path: string): boolean {
  return posix.extname(path) === '.sol'
}

/** The file of a test that a mutation of `path` names. */
export function testPath(path: string, test: string): string {
  return isContract(path) ? `contracts/test/${test}.t.sol` : testFile(test)
}

/** The path of a test file that a mutation of the server names. */
export function testFile(name: string): string {
  if (name.startsWith('packages/')) return `${name}.test.ts`
  return `apps/server/${name.includes('/') ? name : `test/contract/${name}`}.test.ts`
}
