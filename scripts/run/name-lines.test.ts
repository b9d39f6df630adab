import { expect, test } from 'vitest'
import { nameLines } from './name-lines.ts'

test('what comes in pieces is passed on in whole lines, each with its name', () => {
  const passed: string[] = []
  const lines = nameLines('server', (text) => void passed.push(text))
  lines.write('one')
  expect(passed).toEqual([])
  lines.write(' line\n\nthe next')
  expect(passed).toEqual(['server │ one line\nserver │\n'])
  lines.end()
  lines.end()
  expect(passed.slice(1)).toEqual(['server │ the next\n'])
})
