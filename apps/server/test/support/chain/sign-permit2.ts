import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import {
  type Permit2Transfer,
  permit2Address,
  permit2Domain,
  permit2Message,
  permit2Types,
  readPermit2,
} from '../../../src/payments/relaying/permit2.ts'
import { newWallet } from '../asking/new-wallet.ts'
import type { ChainApi } from '../worlds/chain-api.ts'
import { passBlock } from './keeper-jobs.ts'
import type { GaslessBuyer } from './sign-authorization.ts'

/** A buyer with dollars of USDT, which has no signatures of its own, who approved Permit2 once and has no ETH left. */
export async function fundPermit2Buyer(
  bench: ChainApi,
  { dollars = 1_000, approved = 2n ** 256n - 1n }: { dollars?: number; approved?: bigint } = {},
): Promise<GaslessBuyer> {
  const buyer = newWallet()
  await bench.node.fund(buyer.wallet, { USDT: dollars })
  await approvePermit2(bench, buyer.wallet, approved)
  return buyer
}

/** A wallet's own transaction that has Permit2 take so much USDT of it. */
export async function approvePermit2(bench: ChainApi, wallet: Wallet, approved: bigint): Promise<void> {
  const args = [permit2Address, approved] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  await actAs(bench, wallet, { to: bench.tokenAddress('USDT'), data })
}

/** Has a wallet send a transaction of its own, and mines it. It is lent the ETH for that. */
export async function actAs(
  bench: ChainApi,
  wallet: Wallet,
  { to, data }: { to: Wallet; data: Hex },
): Promise<Hex> {
  const { client } = bench.node
  await client.setBalance({ address: wallet, value: 10n ** 18n })
  await client.impersonateAccount({ address: wallet })
  const hash = await client.sendUnsignedTransaction({ from: wallet, to, data, gas: 200_000n })
  await passBlock(bench)
  const { status } = await client.getTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`the transaction of ${wallet} was undone`)
  await client.stopImpersonatingAccount({ address: wallet })
  await client.setBalance({ address: wallet, value: 0n })
  return hash
}

/** What an attempt asks for through Permit2 in USDT, or something else, signed. */
export async function signPermit2(
  bench: ChainApi,
  { wallet, privateKey }: GaslessBuyer,
  attempt: Pick<Attempt, 'depositAddress' | 'amount'>,
  change: Partial<Permit2Transfer> & { readonly chainId?: number } = {},
) {
  const { chain } = bench.needs
  const { chainId = chain.id, ...changed } = change
  const deadline = change.deadline ?? BigInt(Math.floor(chain.time.now() / 1000)) + 600n
  const pull = {
    depositAddress: attempt.depositAddress,
    tokenAddress: bench.tokenAddress('USDT'),
    amount: attempt.amount,
    validBefore: deadline + 1n,
  }
  const pullFactory = chain.pullFactory as Wallet
  const message: Permit2Transfer = { ...permit2Message(pullFactory, pull), ...changed }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: permit2Domain(chainId),
    types: permit2Types,
    primaryType: 'PermitWitnessTransferFrom',
    message,
  })
  const authorization = readPermit2(wallet, message, pullFactory)
  return { way: 'permit2' as const, message, pull, payer: wallet, authorization, signature }
}

/** Such a message as it goes over the wire. */
export function textsOfPermit2({ permitted, spender, nonce, deadline, witness }: Permit2Transfer) {
  return {
    permitted: { token: permitted.token, amount: String(permitted.amount) },
    spender,
    nonce: String(nonce),
    deadline: String(deadline),
    witness,
  }
}
