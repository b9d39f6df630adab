import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type { Program } from './command.ts'
import { exitCodes } from './failure.ts'
import { runCli } from './run-cli.ts'

export async function runProgram(program: Program): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')

  // The reader may close the pipe early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done)
    throw error
  })
  const interrupt = new AbortController()
  process.on('SIGINT', () =>
    interrupt.signal.aborted ? process.exit(exitCodes.interrupted) : interrupt.abort(),
  )
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort())

  // Node exits while a command only waits on an unreferenced timer or an idle connection.
  const alive = setInterval(() => {}, 60_000)
  process.exitCode = await runCli(program, process.argv.slice(2), {
    env: process.env,
    signal: interrupt.signal,
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: () => text(process.stdin),
    ask: (question) => ask(question, interrupt.signal),
  }).finally(() => clearInterval(alive))
}

async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    // A closed terminal, or Ctrl-C at the prompt, counts as an empty answer.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    return await Promise.race([lines.question(question, { signal }), closed])
  } finally {
    lines.close()
  }
}
