import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { judgeImports } from './judge-imports.ts'

const server = 'apps/server/src'

const good: [path: string, text: string][] = [
  [`${server}/receipts/view.ts`, "import { x } from './receipt.ts'"],
  [`${server}/receipts/view.ts`, "import type { Clock } from '../kernel/clock.ts'"],
  [`${server}/receipts/view.ts`, "import { writeCents } from '@sluice/protocol/money.ts'"],
  [`${server}/onramp/stripe/maker.ts`, "import { x } from '../provider.ts'"],
  [`${server}/split/deploy-split.ts`, "import { abi } from '@sluice/contracts/abi/SplitFactory.ts'"],
  [
    `${server}/chain/base.ts`,
    "import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }",
  ],
  [`${server}/main.ts`, "import { x } from './app/http.ts'; import { y } from './local/seed.ts'"],
  [`${server}/receipts/status.test.ts`, "import { x } from '../payments/match-transfer.ts'"],
  ['apps/server/test/api/create-receipt.test.ts', "import { x } from '../../src/main.ts'"],
  [`${server}/pages/islands/checkout.ts`, "import { x } from '@sluice/protocol/money.ts'"],
  [`${server}/pages/islands/checkout.ts`, "import type { State } from '../checkout/state.ts'"],
  ['packages/protocol/src/wallet.ts', "import { getAddress } from 'viem/utils'; export const y = 1"],
  ['packages/sdk/src/client.ts', "import { x } from '@sluice/protocol/money.ts'; import 'node:crypto'"],
  [`${server}/payments/inbox/routes.ts`, "import { x } from '../ledger/payment.ts'"],
  [`${server}/chain/rpc/rpc.ts`, "import { x } from '../networks.ts'"],
  [`${server}/split/routes.ts`, "import { x } from './versions/routes.ts'"],
  ['apps/cli/src/commands.ts', "import { x } from './receipts/list.ts'"],
  ['scripts/check-env.ts', "import { settings } from '../apps/server/src/platform/settings/settings.ts'"],
]

test.each(good)('%s may say: %s', (path, text) => expect(judgeImports([parseSource(path, text)])).toEqual([]))

const bad: [rule: string, path: string, text: string][] = [
  ['upward', `${server}/receipts/view.ts`, "import { x } from '../payments/match.ts'"],
  ['upward', `${server}/receipts/view.ts`, "import type { X } from '../payments/match.ts'"],
  ['upward', `${server}/receipts/view.ts`, "export const x = await import('../app/http.ts')"],
  ['upward', `${server}/split/x.ts`, "import { x } from '../webhooks/enqueue-delivery.ts'"],
  ['upward', `${server}/app/jobs.ts`, "import { x } from '../local/seed.ts'"],
  ['upward', `${server}/kernel/clock.ts`, "import { x } from '../platform/log.ts'"],
  ['upward', `${server}/app/http.ts`, "import { x } from '../main.ts'"],
  ['unknown-folder', `${server}/helpers/x.ts`, 'export const x = 1'],
  ['unknown-folder', `${server}/payments/helpers/x.ts`, 'export const x = 1'],
  ['unknown-folder', `${server}/payments/ledger/deep/x.ts`, 'export const x = 1'],
  ['unknown-folder', `${server}/shop/deep/x.ts`, 'export const x = 1'],
  ['inside', `${server}/payments/ledger/x.ts`, "import { x } from '../inbox/routes.ts'"],
  ['inside', `${server}/chain/networks.ts`, "import type { X } from './rpc/rpc.ts'"],
  ['inside', `${server}/split/versions/x.ts`, "import { x } from '../routes.ts'"],
  ['inside', 'apps/cli/src/receipts/list.ts', "import { x } from '../commands.ts'"],
  ['pure', 'packages/protocol/src/money.ts', "import { readFileSync } from 'node:fs'; export const x = 1"],
  ['pure', 'packages/protocol/src/money.ts', "import pg from 'pg'; export const x = 1"],
  [
    'pure',
    'packages/protocol/src/money.ts',
    "import { x } from '@sluice/contracts/abi/X.ts'; export const y = 1",
  ],
  ['browser', `${server}/pages/islands/checkout.ts`, "import { x } from '../checkout/state.ts'"],
  ['browser', `${server}/pages/islands/checkout.ts`, "import type { X } from '../../receipts/receipt.ts'"],
  ['browser', `${server}/pages/checkout/page.ts`, "import { x } from '../islands/checkout.ts'"],
  ['browser', `${server}/app/http.ts`, "import type { X } from '../pages/islands/checkout.ts'"],
  ['way-in', `${server}/receipts/view.ts`, "import { x } from '../../../../packages/protocol/src/money.ts'"],
  ['way-in', `${server}/receipts/view.ts`, "import { x } from '../../test/support/clock.ts'"],
  ['way-in', `${server}/receipts/view.ts`, "import { x } from '@sluice/sdk/client.ts'"],
  ['way-in', `${server}/chain/x.ts`, "import { x } from '@sluice/contracts/gas/measure.ts'"],
  ['way-in', 'packages/sdk/src/client.ts', "import { x } from '../../../apps/server/src/kernel/clock.ts'"],
  ['name', `${server}/receipts/index.ts`, 'export const x = 1'],
]

test.each(bad)('%s is refused in %s: %s', (rule, path, text) =>
  expect(judgeImports([parseSource(path, text)])[0]?.rule).toBe(rule))

test('a fault says where it stands', () => {
  const source = parseSource(`${server}/kernel/x.ts`, "\n\nimport { log } from '../platform/log.ts'")
  const message = 'kernel (layer 1) may not import platform, layer 2, above it'
  expect(judgeImports([source])).toEqual([
    { path: `${server}/kernel/x.ts`, line: 3, rule: 'upward', message },
  ])
})
