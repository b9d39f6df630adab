import { type Hex, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { approveData } from '../../support/chain/calls.ts'
import type { PaymentContext } from '../../support/chain/payments.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'

/** Signs a third party's transaction with one log. Its fee places it before our transactions. */
export async function signStranger({ chain, buyer, tokenAddress }: PaymentContext): Promise<Hex> {
  const key = chain.accounts[3]
  if (!key) throw new Error('there are five accounts')
  return privateKeyToAccount(key.privateKey).signTransaction({
    chainId: 31337,
    type: 'eip1559',
    nonce: await chain.client.getTransactionCount({ address: key.address }),
    to: tokenAddress('USDC'),
    data: approveData(buyer.address, 1n),
    gas: 100_000n,
    maxFeePerGas: parseGwei('200'),
    maxPriorityFeePerGas: parseGwei('10'),
  })
}

/** Replaces the newest blocks. In the new block, a third party's log precedes the transaction's logs. */
export async function shiftLogs(context: PaymentContext, depth: number, { raw, hash }: SentTransaction) {
  const firstLog = async () => {
    const { logs } = await context.chain.client.getTransactionReceipt({ hash })
    return logs[0]?.logIndex ?? -1
  }
  const before = await firstLog()
  const replay = [await signStranger(context), raw].map((each) => ({ raw: each, offset: 0 }))
  await context.chain.reorg(depth, replay)
  if ((await firstLog()) !== before + 1) throw new Error('the log has not moved by one')
}
