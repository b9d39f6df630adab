import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { localNetwork } from '@sluice/protocol/networks/list.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { type Deployment, describeNetwork } from '../../chain/networks.ts'
import { connectChain } from '../../chain/rpc/connect-chain.ts'
import { assert } from '../../kernel/assert.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { makeLog } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { signCall } from '../demo-wallet.ts'
import { localContracts } from '../deploy-contracts.ts'
import type { LocalJson } from '../local-settings.ts'

export type Mined = { readonly hash: Hex; readonly block: bigint; readonly at: UnixMs }

export type Buyer = {
  readonly address: Wallet
  payByCall(attempt: AttemptView): Promise<Mined>
  payByTransfer(attempt: AttemptView): Promise<Mined>
}

const lookEveryMs = 100
const minedTries = 600
const triesPerSending = 30

type Call = { readonly to: Hex; readonly data: Hex; readonly value: bigint }

/** Creates the demo's buyer. Sends one transaction at a time to keep nonces in order. */
export async function openBuyer(
  needs: { clock: Clock; outbound: Outbound },
  local: LocalJson,
): Promise<Buyer> {
  const log = makeLog('silent')
  const contracts = { factory: localContracts().factory, tokens: local.tokens }
  const chain = connectChain({ ...needs, log }, describeNetwork(local.chainId, contracts), [local.rpcUrl])
  const account = privateKeyToAccount(local.buyer.privateKey)
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => {})
    return mine
  }

  const sendAll = (calls: readonly Call[]) =>
    inTurn(async () => {
      let mined: Mined | undefined
      for (const call of calls) mined = await sendOne(needs.clock, chain, account, call)
      assert(mined, 'an attempt has at least one call')
      return mined
    })
  return {
    address: local.buyer.address,
    payByCall: (attempt) =>
      sendAll(
        attempt.calls.map((call) => ({
          to: call.to as Hex,
          data: call.data as Hex,
          value: BigInt(call.value),
        })),
      ),
    payByTransfer: (attempt) => sendAll([transferCall(attempt, local)]),
  }
}

async function sendOne(
  clock: Clock,
  chain: Chain,
  account: ReturnType<typeof privateKeyToAccount>,
  call: Call,
): Promise<Mined> {
  const raw = await signCall(chain, account, call)
  if (!raw) throw new Error(`the call to ${call.to} would revert`)
  await chain.sendRaw(raw)
  const hash = keccak256(raw)
  for (let tries = 1; tries <= minedTries; tries++) {
    const receipt = await chain.findReceipt(hash)
    if (receipt) {
      if (!receipt.isSuccess) throw new Error(`transaction ${hash} reverted`)
      const header = await chain.findHeader(receipt.blockNumber)
      assert(header, 'a mined transaction has a block')
      return { hash, block: receipt.blockNumber, at: header.at }
    }
    await wait(clock, lookEveryMs)
    // A restarted node has lost its pending transactions. Other nodes reject the duplicate.
    if (tries % triesPerSending === 0) await chain.sendRaw(raw).catch(() => {})
  }
  throw new Error(`transaction ${hash} was not mined`)
}

function transferCall(attempt: AttemptView, local: LocalJson): Call {
  const amount = BigInt(attempt.amount)
  const deposit = attempt.depositAddress as Hex
  const symbol = tokenKinds.find((kind) => kind.symbol === attempt.token)?.symbol
  if (symbol === undefined || symbol === localNetwork.nativeToken)
    return { to: deposit, data: '0x', value: amount }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [deposit, amount] })
  const token = (local.tokens as Deployment['tokens'])[symbol]
  if (!token) throw new Error(`there is no ${symbol} on the local chain`)
  return { to: token, data, value: 0n }
}
