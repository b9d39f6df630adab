/** One way to break the server or the contracts, and the tests that must notice. */
export type Mutation = {
  /** What is then wrong, in words. */
  readonly name: string
  /**
   * What is broken: a function, class, constant or type by its name at the top level of whatever file has it, or
   * a part of a contract as `SplitFactory.sweep`. Files and folders may be renamed.
   */
  readonly in: string
  /** Where several files declare that name: another name that its file declares. */
  readonly beside?: string
  /** Occurs there exactly once; how its words are spaced and broken into lines does not count. */
  readonly find: string
  readonly replace: string
  /**
   * Tests of which at least one turns red: files of apps/server/test/contract without `.test.ts`; with a slash
   * others of apps/server, as `src/pages/panels/panel` or `test/browser/checkout-live`, or of a package, as
   * `packages/protocol/src/money`; for a contract files of contracts/test without `.t.sol`.
   */
  readonly tests: readonly string[]
}
