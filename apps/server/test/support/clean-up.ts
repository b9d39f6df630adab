import { afterAll, beforeAll } from 'vitest'
import { removeTemporaryFolders } from './programs/temporary-folder.ts'

let cpuBefore: NodeJS.CpuUsage

beforeAll(() => {
  cpuBefore = process.cpuUsage()
})

/** Stops the processes and removes the folders of a file's tests, even after a failure. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest accepts no other first parameter
afterAll(async ({}, file) => {
  await removeTemporaryFolders()
  const { user, system } = process.cpuUsage(cpuBefore)
  file.meta.cpuMs = (user + system) / 1_000
}, 60_000)
