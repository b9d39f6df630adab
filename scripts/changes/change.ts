/** A kind of change that people make again and again, with an example of it. */
export type Change = {
  /** Its row under “To change something” in ARCHITECTURE.md. */
  readonly task: string
  /** The most files it may touch. */
  readonly limit: number
  /** Every file that a person touches. */
  readonly edits: readonly Edit[]
  /** The commands that write files of their own accord afterwards, and these files: they do not count. */
  readonly writes?: readonly { readonly command: string; readonly files: readonly string[] }[]
  /** Whether the tree that this runs in has what the example brings. */
  isThere(): Promise<boolean>
}

/** What is done to one file. */
export type Edit = {
  readonly file: string
  /** How ARCHITECTURE.md names it, where that is not its path. */
  readonly as?: string
} & (
  | { readonly text: string }
  /** Each `find` stands in the file exactly once. */
  | { readonly replace: readonly (readonly [find: string, replacement: string])[] }
)
