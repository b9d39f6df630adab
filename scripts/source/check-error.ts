/** A violation of a rule of this repository, with its position. */
export type CheckError = {
  readonly path: string
  readonly line: number
  /** Short name of the rule, as used in the tests and the documents. */
  readonly rule: string
  readonly message: string
}

/** Prints the errors sorted by position, or that there are none, and sets the exit code. */
export function reportErrors(what: string, errors: readonly CheckError[]): void {
  const sorted = [...errors].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
  for (const { path, line, rule, message } of sorted) console.log(`${path}:${line}  ${rule}: ${message}`)
  console.log(sorted.length === 0 ? `${what}: no errors` : `${what}: ${sorted.length} errors`)
  if (sorted.length > 0) process.exitCode = 1
}
