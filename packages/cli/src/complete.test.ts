import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commands } from './commands.ts'
import { complete } from './complete.ts'

test.each([
  [['rec'], ['receipt']],
  [['receipt', 'ca'], ['cancel']],
  [
    ['event', ''],
    ['tail', 'stream'],
  ],
  [['--json', 'order', ''], ['create']],
  [['receipt', 'list', '--st'], ['--status']],
  [
    ['receipt', 'list', '--search', 'a', '--cur'],
    ['--currency', '--cursor'],
  ],
  [['receipt', 'list', '--status', ''], []],
  [['receipt', 'get', ''], []],
  [['trigger', 'insufficient-f'], ['insufficient-funds']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
])('%j is completed with %j', (typed, words) => expect(complete(commands, typed)).toEqual(words))

test('bash completes a command with the script that the program prints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-completion-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'sluice')
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'main.ts')}' "$@"\n`,
  )
  chmodSync(program, 0o755)
  const script = `source <(sluice completion bash)
COMP_WORDS=(sluice --json receipt ca); COMP_CWORD=3; _sluice; echo "\${COMPREPLY[@]}"
COMP_WORDS=(sluice receipt ''); COMP_CWORD=2; _sluice; echo "\${COMPREPLY[@]}"`
  const env = { PATH: `${folder}:${process.env.PATH}` }
  expect(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' }).trim().split('\n')).toEqual([
    'cancel',
    'create get list export timeline watch cancel',
  ])
})
