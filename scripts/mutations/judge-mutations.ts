import type { Fault } from '../source/fault.ts'
import type { Mutation } from './mutation.ts'

const list = 'scripts/mutations/all.ts'

/**
 * Where the list no longer fits the source. Rules, by the name each fault carries:
 *
 * - `rotten`: what is to be replaced is not in its file exactly once, or the file is gone.
 * - `idle`: nothing is replaced.
 * - `untested`: a test file that does not exist, or none at all.
 * - `twice`: two mutations have one name.
 *
 * @param read - The text of a file of the repository, `undefined` where there is none.
 */
export function judgeMutations(
  mutations: readonly Mutation[],
  read: (path: string) => string | undefined,
): Fault[] {
  const names = mutations.map(({ name }) => name)
  return mutations.flatMap(({ name, file, find, replace, tests }, i) => {
    const faults: Fault[] = []
    const add = (rule: string, message: string, path = list) => faults.push({ path, line: 1, rule, message })
    const count = find === '' ? 0 : (read(file)?.split(find).length ?? 1) - 1
    if (count !== 1) add('rotten', `«${name}» finds its text ${count} times: ${JSON.stringify(find)}`, file)
    if (find === replace) add('idle', `«${name}» changes nothing`)
    for (const test of tests)
      if (read(testFile(test)) === undefined) add('untested', `«${name}»: there is no ${testFile(test)}`)
    if (tests.length === 0) add('untested', `«${name}» names no tests`)
    if (names.indexOf(name) !== i) add('twice', `«${name}» stands in the list twice`)
    return faults
  })
}

/** The path of a contract test file that a mutation names. */
export function testFile(name: string): string {
  return `apps/server/test/contract/${name}.test.ts`
}
