import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Names at the end of a run, whichever of its tests passed only when they were tried again, and why they had failed. */
export default class NameSecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names: string[] = []
    for (const module of modules)
      for (const test of module.children.allTests('passed'))
        if ((test.diagnostic()?.retryCount ?? 0) > 0)
          names.push(`${module.relativeModuleId}: ${test.fullName}${reasonOf(test)}`)
    if (names.length > 0)
      console.log(`\nPassed at the second try only:\n${names.map((name) => `  ${name}`).join('\n')}\n`)
  }
}

/** What the first try ended with, and where in our own files. */
function reasonOf(test: TestCase): string {
  const [error] = test.result().errors ?? []
  if (!error) return ''
  const at = error.stacks?.find(({ file }) => !file.includes('node_modules'))
  const where = at ? ` (${at.file}:${at.line})` : ''
  return `\n    ${String(error.message).split('\n', 1)[0]}${where}`
}
