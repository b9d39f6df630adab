import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { pullCall } from '../../../src/payments/relaying/permit.ts'
import { permit2Call } from '../../../src/payments/relaying/permit2.ts'
import { transferCall } from '../../../src/payments/relaying/relay-call.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { passBlock } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import {
  fundPermit2Buyer,
  fundPermitBuyer,
  signAuthorization,
  signPermit,
  signPermit2,
} from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

const pullFactory = () => context.needs.chain.pullFactory as Wallet

/** Submits a signature to the service. Returns the call with which any account can submit it directly. */
const ways: readonly (readonly [string, 'USDC' | 'cbBTC' | 'USDT', (attempt: Attempt) => Promise<Call>])[] = [
  [
    'an EIP-3009 authorization',
    'USDC',
    async (attempt) => {
      const signed = await signAuthorization(context, context.buyer, attempt)
      await context.submit(attempt, signed)
      return { to: context.tokenAddress('USDC'), data: transferCall(signed.authorization, signed.signature) }
    },
  ],
  [
    'a permit',
    'cbBTC',
    async (attempt) => {
      const signed = await signPermit(context, await fundPermitBuyer(context), attempt)
      await context.submit(attempt, signed)
      const { depositAddress, amount } = attempt
      const { validBefore } = signed.authorization
      const pull = { depositAddress, tokenAddress: context.tokenAddress('cbBTC'), amount, validBefore }
      return { to: pullFactory(), data: pullCall(pull, signed.permit.owner, signed.signature) }
    },
  ],
  [
    'a signature for Permit2',
    'USDT',
    async (attempt) => {
      const signed = await signPermit2(context, await fundPermit2Buyer(context), attempt)
      await context.submit(attempt, signed)
      return { to: pullFactory(), data: permit2Call(signed.pull, signed.payer, signed.signature) }
    },
  ],
]
type Call = { readonly to: Wallet; readonly data: Hex }

/** Wraps a chain. Runs `happen` right after the chain's first response. */
function afterFirstResponse(chain: Chain, happen: () => Promise<void>): Chain {
  let isOver = false
  return {
    ...chain,
    async callMany(calls) {
      const responses = await chain.callMany(calls)
      if (!isOver) {
        isOver = true
        await happen()
      }
      return responses
    },
  }
}

describe('a payment that its payer submits while the service looks at it', () => {
  test.each(ways)('by %s is what paid, not a failure', async (_, token, handIn) => {
    const attempt = await context.open(token)
    const call = await handIn(attempt)
    let hash: Hex | undefined
    const chain = afterFirstResponse(context.needs.chain, async () => {
      hash = (await context.send(call)).hash
      await passBlock(context)
      await context.run(jobNames.scanTransfers)
    })
    await runToRest(context.job(jobNames.relayPayments, { chain }))
    expect(await context.statusOf(attempt)).toBe('paid')
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', txHash: hash })
    expect((await context.relaysOf(attempt))[0]?.reason).toBeUndefined()
  })
})
