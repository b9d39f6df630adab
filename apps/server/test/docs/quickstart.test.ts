import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { curl } from './curl.ts'

async function runQuickstart(...args: string[]): Promise<{ exitCode: number; output: string }> {
  const script = join(repositoryRoot, 'scripts/run-quickstart.ts')
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, PATH: curl.path } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  const [exitCode] = await once(child, 'close')
  return { exitCode, output }
}

async function play(block: string, ...args: string[]) {
  const folder = await makeTemporaryFolder('guide')
  const guide = join(folder.path, 'guide.md')
  await writeFile(guide, `## The step\n\n${block}`)
  return runQuickstart('--guide', guide, ...args).finally(() => folder.remove())
}

test(`the quickstart's commands run as they stand, from nothing to a verified webhook, in ${curl.name}`, async () => {
  const { exitCode, output } = await runQuickstart()
  expect(output).toMatch(/total \d+\.\d s of at most 300 s/)
  expect(output).not.toContain('FAILED')
  const begin = ['Start', 'Get the key', 'Create a product', 'Create an order']
  for (const step of [...begin, 'Pay it', 'Receive the webhook'])
    expect(output).toMatch(new RegExp(`\\d+\\.\\d s {2}\\d\\. ${step}\\n`))
  expect(exitCode).toBe(0)
})

test('a step that fails is told, and ends it with an error', async () => {
  const { exitCode, output } = await play('```sh\necho begun\nfalse\n```\n')
  expect(output).toContain('FAILED: line 4, The step: it failed\nbegun')
  expect(exitCode).toBe(1)
})

test('a step that prints something else than the guide shows ends it with an error', async () => {
  const { exitCode, output } = await play('```sh\necho \'{"a":1}\'\n```\n\n```json\n{ "a": 2 }\n```\n')
  expect(output).toContain('/a is 1, not 2')
  expect(exitCode).toBe(1)
})

test('a step that does not end is ended at the limit, with an error', async () => {
  const endless = '```sh\nwhile :; do read x; done < /dev/zero\n```\n'
  const { exitCode, output } = await play(endless, '--limit', '1')
  expect(output).toContain('the time limit is exceeded')
  expect(exitCode).toBe(1)
})
