import type { Reporter, TestModule } from 'vitest/node'

/** Names at the end of a run, whichever of its tests passed only when they were tried again. */
export default class NameSecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names: string[] = []
    for (const module of modules)
      for (const test of module.children.allTests('passed'))
        if ((test.diagnostic()?.retryCount ?? 0) > 0)
          names.push(`${module.relativeModuleId}: ${test.fullName}`)
    if (names.length > 0)
      console.log(`\nPassed at the second try only:\n${names.map((name) => `  ${name}`).join('\n')}\n`)
  }
}
