import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../../test/support/temporary-folder.ts'
import { DirectoryInUse, lockDirectory } from './instance-lock.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder('lock')
})
afterEach(() => folder.remove())

const module = fileURLToPath(new URL('./instance-lock.ts', import.meta.url))

/** Another process that takes the lock and keeps it. */
async function lockElsewhere() {
  const script = `import { lockDirectory } from ${JSON.stringify(module)}
    await lockDirectory(process.argv[1]); console.log('locked'); setInterval(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('a directory is given to one at a time', async () => {
  const lock = await lockDirectory(folder.path)
  await expect(lockDirectory(folder.path)).rejects.toThrow(DirectoryInUse)
  lock.release()
  lock.release()
  ;(await lockDirectory(folder.path)).release()
})

test('the refusal names the process that has it, and its death frees the directory', async () => {
  const holder = await lockElsewhere()
  await expect(lockDirectory(folder.path)).rejects.toThrow(`process ${holder.pid}`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  ;(await lockDirectory(folder.path)).release()
})

test('a refused attempt does not free what another holds', async () => {
  const holder = await lockElsewhere()
  for (let i = 0; i < 3; i++) await expect(lockDirectory(folder.path)).rejects.toThrow(DirectoryInUse)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
})
