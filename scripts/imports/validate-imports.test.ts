import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { validateImports } from './validate-imports.ts'

const server = 'apps/server/src'
const evaluate = (...files: readonly (readonly [path: string, text: string])[]) =>
  validateImports(files.map(([path, text]) => parseSource(path, text)))

test.each([
  [`${server}/receipts/view.ts`, "import type { Clock } from '../kernel/clock.ts'"],
  [`${server}/receipts/view.ts`, "import { writeCents } from '@sluice/protocol/money.ts'"],
  [`${server}/split/deploy-split.ts`, "import { abi } from '@sluice/contracts/abi/SplitFactory.ts'"],
  [`${server}/receipts/status.test.ts`, "import { x } from '../payments/match-transfer.ts'"],
  [`${server}/pages/islands/checkout.ts`, "import type { State } from '../checkout/state.ts'"],
  ['packages/protocol/src/wallet.ts', "import { getAddress } from 'viem/utils'; export const y = 1"],
  [`${server}/payments/inbox/routes.ts`, "import { x } from '../ledger/payment.ts'"],
  ['packages/cli/src/commands.ts', "import { x } from './receipt/list.ts'"],
  ['packages/cli/src/receipt/list.ts', "import { x } from '../../../sdk/src/sluice.ts'"],
  [
    'scripts/write-env-example.ts',
    "import { settings } from '../apps/server/src/platform/settings/settings.ts'",
  ],
])('%s may say: %s', (path, text) => expect(evaluate([path, text])).toEqual([]))

test.each([
  ['upward', `${server}/receipts/view.ts`, "import { x } from '../payments/match.ts'"],
  ['upward', `${server}/receipts/view.ts`, "export const x = await import('../app/http.ts')"],
  ['upward', `${server}/split/x.ts`, "import type { X } from '../webhooks/enqueue-delivery.ts'"],
  ['unknown-folder', `${server}/helpers/x.ts`, 'export const x = 1'],
  ['unknown-folder', `${server}/payments/ledger/deep/x.ts`, 'export const x = 1'],
  ['inside', `${server}/payments/ledger/x.ts`, "import { x } from '../inbox/routes.ts'"],
  ['inside', 'packages/cli/src/receipt/list.ts', "import { x } from '../commands.ts'"],
  ['pure', 'packages/protocol/src/money.ts', "import pg from 'pg'; export const x = 1"],
  ['pure', 'packages/protocol/src/money.ts', "import { x } from '@sluice/contracts/abi/X.ts'"],
  ['browser', `${server}/pages/islands/checkout.ts`, "import { x } from '../checkout/state.ts'"],
  ['browser', `${server}/pages/receipt/page.ts`, "import { x } from '../islands/checkout.ts'"],
  ['way-in', `${server}/receipts/view.ts`, "import { x } from '../../../../packages/protocol/src/money.ts'"],
  ['way-in', `${server}/chain/x.ts`, "import { x } from '@sluice/contracts/gas/measure.ts'"],
  ['way-in', 'packages/sdk/src/client.ts', "import { x } from '../../../apps/server/src/kernel/clock.ts'"],
  ['way-in', 'packages/cli/src/settings.ts', "import { x } from '@sluice/server/src/kernel/clock.ts'"],
  ['api-error', `${server}/chain/rpc.ts`, "import { ApiError } from '../kernel/api-error.ts'"],
])('%s is refused in %s: %s', (rule, path, text) =>
  expect(evaluate([path, text])).toMatchObject([{ rule, line: 1 }]))

test('a job reaches no API error, however far away', () => {
  const jobs = [`${server}/app/jobs.ts`, "import { a } from '../receipts/a.ts'"] as const
  const near = [`${server}/receipts/a.ts`, "import { b } from './b.ts'; export const a = b"] as const
  const far = [`${server}/receipts/b.ts`, "import { ApiError } from '../kernel/api-error.ts'"] as const
  expect(evaluate(jobs, near, far)).toMatchObject([{ path: far[0], rule: 'api-error' }])
  expect(evaluate(near, far)).toEqual([])
})
