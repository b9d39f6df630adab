#!/usr/bin/env node
import { runProgram } from '../../../packages/cli/src/run-program.ts'
import { program } from './program.ts'

await runProgram(program)
