#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { commands } from './commands.ts'
import { runProgram } from './run-program.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
await runProgram({ name: 'sluice', version, commands })
