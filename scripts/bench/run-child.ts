import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs a program beside this file in a process of its own, with `input` for `readInput`; what it prints as JSON. */
export function runChild<Output>(program: string, input: unknown): Promise<Output> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] })
  // A program that ends before it has read says so by its code.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(input))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(output) as Output) : reject(new Error(`${program} ended with ${code}`)),
    )
  })
}
