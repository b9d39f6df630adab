import { expect, test } from 'vitest'
import { addCounts, countForge, emptyCounts, evaluateStep } from './count-tests.ts'

test('the closing line of forge is read, colours included', () => {
  const output = [
    'Suite result: ok. 3 passed; 0 failed; 0 skipped; finished in 1.2ms',
    'Ran 2 test suites in 70ms (2ms CPU time): \u001b[32m7\u001b[0m tests passed, \u001b[31m1\u001b[0m failed, \u001b[33m2\u001b[0m skipped (10 total tests)',
  ].join('\n')
  expect(countForge(output)).toEqual({ passed: 7, failed: 1, skipped: 2 })
})

test('one test is read as well as many', () => {
  const output = 'Ran 1 test suite in 7ms (1ms CPU time): 1 tests passed, 0 failed, 0 skipped (1 total tests)'
  expect(countForge(output)).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('a step that crashes without a failed test counts as one failure', () => {
  expect(evaluateStep(emptyCounts, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(evaluateStep({ passed: 5, failed: 2, skipped: 0 }, 1).failed).toBe(2)
  expect(evaluateStep({ passed: 5, failed: 0, skipped: 0 }, 0).failed).toBe(0)
})

test('a step in which no test ran counts as one failure, although it ended well', () => {
  expect(evaluateStep(countForge('Error: Compiler run failed'), 0)).toEqual({
    passed: 0,
    failed: 1,
    skipped: 0,
  })
  const nothing =
    'Ran 1 test suite in 7ms (1ms CPU time): 0 tests passed, 0 failed, 3 skipped (3 total tests)'
  expect(evaluateStep(countForge(nothing), 0)).toEqual({ passed: 0, failed: 1, skipped: 3 })
})

test('tallies add up', () => {
  const one = { passed: 1, failed: 2, skipped: 3 }
  expect(addCounts(one, one)).toEqual({ passed: 2, failed: 4, skipped: 6 })
})
