import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Hex } from 'viem'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import type { Authorization, SigningKind } from '../../../src/payments/relaying/authorization.ts'
import { listRelaysOfReceipt } from '../../../src/payments/relaying/store.ts'
import { submitAuthorization } from '../../../src/payments/relaying/submit-authorization.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { ChainOptions } from './chain-api.ts'
import { deploySplit, openTestAttempt, passBlock, startKeeper } from './keeper.ts'
import { fundGaslessBuyer } from './signatures.ts'

/** An account of the test chain, reserved for the gas of signed payments. */
export const relayerKey: Hex = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'

/** Starts the service with a relayer, a merchant with a deployed split, and a buyer with USDC but no ETH. */
export async function startRelaying(options: ChainOptions = {}) {
  const bench = await startKeeper({ relayerKey, ...options })
  const [split, buyer] = [await deploySplit(bench), await fundGaslessBuyer(bench)]
  return {
    ...bench,
    split,
    buyer,
    open: (token: TokenSymbol = 'USDC') => openTestAttempt(bench, split.merchant, token),
    submit: (
      { merchant, receiptId, id }: Attempt,
      signed: { way?: SigningKind; authorization: Authorization; permitNonce?: bigint; signature: Hex },
    ) =>
      submitAuthorization(bench.needs, {
        way: 'authorization',
        merchant,
        receiptId,
        attemptId: id,
        ...signed,
      }),
    relaysOf: ({ merchant, receiptId }: Attempt) => listRelaysOfReceipt(bench.needs.db, merchant, receiptId),
    async relayAndMine() {
      await bench.run(jobNames.relayPayments)
      await passBlock(bench)
      await bench.run(jobNames.relayPayments, jobNames.scanTransfers)
    },
  }
}
