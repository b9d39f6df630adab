import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files of tests that take longest, by far: most of it waiting, for blocks, leases and endpoints far away. Begun
 * last, one of them would run on alone when all others are done. Beside the first three, which measure how soon one
 * process takes over from another, stand those that wait most; those that work most come after them.
 */
const longest = [
  'flows/faults/takeover',
  'flows/faults/kill-sale',
  'flows/faults/chaos',
  'flows/watching/compare-chain',
  'flows/watching/reorgs',
  'flows/payments/x402-facilitator',
  'flows/payments/two-services',
  'flows/webhooks/webhooks-faults',
  'flows/payments/first-payment',
  'flows/faults/kill-parts',
  'flows/faults/kill-start',
  'flows/payments/applied-money',
  'flows/watching/set-aside-jobs',
  'flows/watching/set-aside',
  'flows/watching/watcher-crash',
  'flows/programs/local-start',
  'flows/watching/closed-looks',
  'flows/watching/closed-attempts',
  'flows/many-merchants',
  'flows/faults/stop',
  'flows/programs/cli',
  'api/service/bad-inputs',
  'api/access/tenancy-walk',
  'flows/faults/degraded-kills',
  'browser/page-points',
  'browser/page-hostile',
  'browser/checkout-hostile',
  'browser/checkout-layout',
  'browser/checkout-themes',
  'browser/dashboard-journey',
  'browser/page-languages',
  'browser/store-themes',
  'browser/store-pages',
  'browser/checkout-card-journey',
  'browser/checkout-live',
  'browser/checkout-walletconnect',
  'browser/dashboard-live',
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
