import { expect, test } from 'vitest'
import { tellFailures } from './tell-failures.ts'

const passed = { fullName: 'a sale is paid', status: 'passed', failureMessages: [] }

test('a failed test is told with its file, its name and the beginning of its message', () => {
  const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
  const report = {
    testResults: [
      {
        name: '/a/sale.test.ts',
        status: 'failed',
        assertionResults: [
          passed,
          { fullName: 'a sale is told', status: 'failed', failureMessages: [`\u001b[31m${long}\u001b[0m`] },
        ],
      },
      { name: '/a/order.test.ts', status: 'passed', assertionResults: [passed] },
    ],
  }
  const [only, ...others] = tellFailures(JSON.stringify(report), '')
  expect(others).toEqual([])
  expect(only).toMatch(/^\/a\/sale\.test\.ts\n {2}a sale is told\n {4}line 0\n/)
  expect(only).toMatch(/line 29\n {4}… and 10 more lines$/)
})

test('a file that failed outside its tests is told with its own message', () => {
  const report = { testResults: [{ name: '/a/b.test.ts', status: 'failed', message: 'Cannot find c.ts' }] }
  expect(tellFailures(JSON.stringify(report), '')).toEqual(['/a/b.test.ts\n    Cannot find c.ts'])
})

test('many failures are told in part, with how many there are beside', () => {
  const failed = { fullName: 'x', status: 'failed', failureMessages: ['no'] }
  const report = {
    testResults: [{ name: 'f', status: 'failed', assertionResults: new Array(25).fill(failed) }],
  }
  expect(tellFailures(JSON.stringify(report), '')).toHaveLength(21)
  expect(tellFailures(JSON.stringify(report), '').at(-1)).toBe('and 5 more')
})

test('where no test is named, the end of the output is told', () => {
  expect(tellFailures(undefined, 'first\nUnhandled error: boom\n')[0]).toMatch(/Unhandled error: boom$/)
  const fine = { testResults: [{ name: 'f', status: 'passed', assertionResults: [passed] }] }
  expect(tellFailures(JSON.stringify(fine), 'Unhandled error: boom')[0]).toMatch(/Unhandled error: boom$/)
})
