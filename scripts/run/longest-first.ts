import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files of tests that take longest, by far: most of it waiting, for blocks, leases and endpoints far away. Begun
 * last, one of them would run on alone when all others are done.
 */
const longest = [
  'flows/faults/takeover',
  'flows/faults/kill-sale',
  'flows/faults/chaos',
  'flows/watching/compare-chain',
  'flows/payments/applied-money',
  'flows/watching/reorgs',
  'flows/watching/set-aside-jobs',
  'flows/faults/kill-parts',
  'flows/faults/degraded-kills',
  'browser/page-points',
  'browser/page-hostile',
  'browser/checkout-hostile',
  'browser/checkout-layout',
  'browser/checkout-themes',
  'browser/dashboard-journey',
].map((name) => `/${name}.test.ts`)

/** Begins with what takes longest; all else in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(name))
      return place === -1 ? longest.length : place
    }
    const projects = [...new Set(files.map(({ project }) => project.name))]
    const projectOf = ({ project }: TestSpecification) => projects.indexOf(project.name)
    // A worker goes on with the files of its project alone: those of one stay together.
    return (await super.sort(files)).toSorted((a, b) => projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b))
  }
}
