import { expect, test } from 'vitest'
import { judgeFolders } from './judge-folders.ts'

const files = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${folder}/part-${index}.ts`)

test('a folder of 22 files stands, one of 23 is to be cut', () => {
  expect(judgeFolders(files('apps/server/src/split', 22))).toEqual([])
  const crowded = { path: 'apps/server/src/split', rule: 'crowded' }
  expect(judgeFolders(files('apps/server/src/split', 23))).toMatchObject([crowded])
})

test('files in the folders below a folder are not its own', () =>
  expect(judgeFolders([...files('packages/sdk/src', 20), ...files('packages/sdk/src/api', 20)])).toEqual([]))
