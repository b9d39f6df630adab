// SPDX-License-Identifier: Apache-2.0
/**
 * Runs forge in the contracts folder and exits with its exit code: `node tools/run-forge.ts test --mt swept`.
 */
import { spawn } from 'node:child_process'
import { contractsFolder, toolEnvironment } from './forge.ts'
import { nativeProgram } from './native-program.ts'

const forge = spawn(nativeProgram('forge'), process.argv.slice(2), {
  cwd: contractsFolder,
  env: toolEnvironment(),
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => forge.kill(signal))
forge.on('error', (error) => {
  console.error(`forge could not be started: ${error.message}`)
  process.exitCode = 127
})
// After a signal there is no exit code, which is a failure too.
forge.on('close', (code) => {
  process.exitCode = code ?? 1
})
