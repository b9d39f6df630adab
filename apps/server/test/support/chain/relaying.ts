import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Hex } from 'viem'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import type {
  Authorization,
  RelayedPayment,
  SigningKind,
} from '../../../src/payments/relaying/authorization.ts'
import { listRelaysOfReceipt } from '../../../src/payments/relaying/store.ts'
import {
  type SubmitOutcome,
  submitAuthorization,
} from '../../../src/payments/relaying/submit-authorization.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Split } from '../../../src/split/split.ts'
import type { ChainOptions } from './chain-api.ts'
import { deploySplit, type KeeperContext, openTestAttempt, passBlock, startKeeper } from './keeper.ts'
import { fundGaslessBuyer, type GaslessBuyer } from './signatures.ts'

/** The account of the test chain that pays the gas of signed payments: nobody else uses it. */
export const relayerKey: Hex = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'

/** The service with a relayer, a merchant whose split stands, and a buyer who holds USDC and no ETH. */
export type RelayContext = KeeperContext & {
  readonly split: Split
  readonly buyer: GaslessBuyer
  /** An attempt over ten dollars, in USDC where nothing else is said. */
  open(token?: TokenSymbol): Promise<Attempt>
  submit(
    attempt: Attempt,
    signed: { way?: SigningKind; authorization: Authorization; permitNonce?: bigint; signature: Hex },
  ): Promise<SubmitOutcome>
  /** The signed payments of an attempt's receipt, newest first. */
  relaysOf(attempt: Attempt): Promise<RelayedPayment[]>
  /** Sends what waits, mines it, follows it up and reads the chain. */
  relayAndMine(): Promise<void>
}

/** Starts it. */
export async function startRelaying(options: ChainOptions = {}): Promise<RelayContext> {
  const bench = await startKeeper({ relayerKey, ...options })
  const [split, buyer] = [await deploySplit(bench), await fundGaslessBuyer(bench)]
  return {
    ...bench,
    split,
    buyer,
    open: (token = 'USDC') => openTestAttempt(bench, split.merchant, token),
    submit: ({ merchant, receiptId, id }, signed) =>
      submitAuthorization(bench.needs, {
        way: 'authorization',
        merchant,
        receiptId,
        attemptId: id,
        ...signed,
      }),
    relaysOf: ({ merchant, receiptId }) => listRelaysOfReceipt(bench.needs.db, merchant, receiptId),
    async relayAndMine() {
      await bench.run(jobNames.relayPayments)
      await passBlock(bench)
      await bench.run(jobNames.relayPayments, jobNames.scanTransfers)
    },
  }
}
