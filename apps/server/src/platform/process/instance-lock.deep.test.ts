import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { DirectoryInUse, lockDirectory } from './instance-lock.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder('lock')
})
afterEach(() => folder.remove())

const module = fileURLToPath(new URL('./instance-lock.ts', import.meta.url))

const spawnScript = (script: string) => {
  const text = `import { lockDirectory } from ${JSON.stringify(module)}\n${script}`
  const args = ['--input-type=module', '-e', text, folder.path]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function lockElsewhere() {
  const child = spawnScript(
    "await lockDirectory(process.argv[1]); console.log('locked'); setInterval(() => {}, 60_000)",
  )
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

test('of two that try at the same moment exactly one gets it, time and again', async () => {
  const rounds = 40
  const startAt = Date.now() + 1_500
  const script = `
    const [got, locks] = [[], []]
    for (let round = 0; round < ${rounds}; round++) {
      while (Date.now() < ${startAt} + round * 10);
      await lockDirectory(process.argv[1] + '/' + round).then((lock) => { got.push(round); locks.push(lock) }, () => {})
    }
    console.log(JSON.stringify(got))
    setInterval(() => locks, 60_000)`
  const children = [0, 1].map(() => spawnScript(script))
  const got = await Promise.all(
    children.map(async ({ stdout }) => JSON.parse(String((await once(stdout, 'data'))[0])) as number[]),
  )
  for (const child of children) child.kill('SIGKILL')
  expect(got.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round))
})
