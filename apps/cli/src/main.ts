#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { stayAlive } from '@sluice/server/src/kernel/clock.ts'
import { exitCodes } from './failure.ts'
import { runCli } from './run-cli.ts'

if (existsSync('.env')) process.loadEnvFile('.env')

// Whoever reads us may have seen enough: `… | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done)
  throw error
})
const interrupt = new AbortController()
process.on('SIGINT', () =>
  interrupt.signal.aborted ? process.exit(exitCodes.interrupted) : interrupt.abort(),
)
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort())

// A timer or an idle connection that a command waits for keeps no process alive.
const letGo = stayAlive()
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  signal: interrupt.signal,
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin: () => text(process.stdin),
  ask: async (question) => {
    if (!process.stdin.isTTY) return undefined
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    try {
      // A terminal that closes, or Ctrl-C at the question, answers nothing.
      const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
      return await Promise.race([lines.question(question, { signal: interrupt.signal }), closed])
    } finally {
      lines.close()
    }
  },
}).finally(letGo)
