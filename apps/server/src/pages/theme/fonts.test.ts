import { expect, test } from 'vitest'
import { findFont } from './fonts.ts'

test.each([
  ['Inter', 'Inter'],
  ['inter', 'Inter'],
  ['"Playfair Display", Georgia, serif', 'Playfair Display'],
  ["Söhne, 'Open Sans'", 'Open Sans'],
  ['', undefined],
  ['Helvetica Neue, Arial', undefined],
  ['constructor', undefined],
  ['Inter;}body{display:none', undefined],
])('the font family %j is the font %s of ours', (family, name) => {
  expect(findFont(family)).toBe(name)
})
