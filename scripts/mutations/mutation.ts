/** One way to break the server, and the contract tests that must notice. */
export type Mutation = {
  /** What is then wrong, in words. */
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** Files of apps/server/test/contract, without `.test.ts`: at least one test of them turns red. */
  readonly tests: readonly string[]
}
