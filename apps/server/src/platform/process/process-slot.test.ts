import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { takeProcessSlot } from './process-slot.ts'

const module = fileURLToPath(new URL('./process-slot.ts', import.meta.url))

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('seat')
  onTestFinished(() => folder.remove())
  return join(folder.path, 'seats')
}

async function sit(folder: string, holder: string) {
  const dead: string[] = []
  const slot = await takeProcessSlot(folder, holder, async (names) => void dead.push(...names))
  return { slot, dead: dead.toSorted() }
}

async function sitAndDie(folder: string, holder: string): Promise<void> {
  const script = `const { takeProcessSlot } = await import(${JSON.stringify(module)})
    await takeProcessSlot(${JSON.stringify(folder)}, ${JSON.stringify(holder)}, async () => {})
    console.log('seated'); setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}

test('a process is told who was killed before it, and only once', async () => {
  const folder = await makeFolder()
  await sitAndDie(folder, 'killed')
  const next = await sit(folder, 'next')
  expect(next.dead).toEqual(['killed'])
  await next.slot.leave()
  const last = await sit(folder, 'last')
  expect(last.dead).toEqual([])
  await last.slot.leave()
})

test('who lives beside another is never taken for dead', async () => {
  const folder = await makeFolder()
  const first = await sit(folder, 'first')
  await sitAndDie(folder, 'second')
  const third = await sit(folder, 'third')
  expect(third.dead).toEqual(['second'])
  const fourth = await sit(folder, 'fourth')
  expect(fourth.dead).toEqual([])
  for (const { slot } of [first, third, fourth]) await slot.leave()
})

test('the dead are told again where taking over from them failed', async () => {
  const folder = await makeFolder()
  await sitAndDie(folder, 'killed')
  const failing = takeProcessSlot(folder, 'unlucky', async () => {
    throw new Error('no database')
  })
  await expect(failing).rejects.toThrow('no database')
  const next = await sit(folder, 'next')
  expect(next.dead).toEqual(['killed'])
  await next.slot.leave()
})
