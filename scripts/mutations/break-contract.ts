import type { Mutation } from './mutation.ts'

/** What is then wrong, what is replaced by what, and the test that notices where it is not the usual one. */
type Change = readonly [name: string, find: string, replace: string, test?: string]

/**
 * Mutations of one contract.
 *
 * @param test - The test that notices most of them.
 * @param changes - By the function, modifier or constant that is broken.
 */
export function breakContract(
  contract: string,
  test: string,
  changes: Readonly<Record<string, readonly Change[]>>,
): Mutation[] {
  return Object.entries(changes).flatMap(([member, list]) =>
    list.map(([name, find, replace, other]) => ({
      name,
      in: `${contract}.${member}`,
      find,
      replace,
      tests: [other ?? test],
    })),
  )
}
