import { expect, test } from 'vitest'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { mutations } from './all.ts'
import { judgeMutations } from './judge-mutations.ts'
import { readSources } from './read-sources.ts'

test('every entry of the list breaks something that stands in the source, and names tests that exist', () => {
  const testFiles = listFiles(repositoryRoot, ['.test.ts', '.t.sol'])
  expect([...judgeMutations(mutations, readSources(repositoryRoot), testFiles)]).toEqual([])
})
