import { readFileSync } from 'node:fs'

/** What a program was given that `runChild` runs: by its standard input, since thousands of keys are more than an argument holds. */
export function readInput<Input>(): Input {
  return JSON.parse(readFileSync(0, 'utf8')) as Input
}
