import { expect, test } from 'vitest'
import { pathOf, pathOfPointer, pathWithin } from './api-error.ts'

test('a path names fields and positions from the outside in', () => {
  expect(pathOf('recipients', 0, 'sharesBps')).toBe('recipients/0/sharesBps')
  expect(pathOf()).toBe('')
})

test('a name with a slash or a tilde stays one step, as in a JSON pointer', () => {
  expect(pathOf('metadata', 'a/b~c')).toBe('metadata/a~1b~0c')
  expect(pathOfPointer('/metadata/a~1b~0c')).toBe('metadata/a~1b~0c')
})

test('paths lie within each other, and the whole adds no step', () => {
  expect(pathWithin('rows/3', 'images/0')).toBe('rows/3/images/0')
  expect(pathWithin('rows/3', '')).toBe('rows/3')
  expect(pathWithin('', 'sku')).toBe('sku')
})
