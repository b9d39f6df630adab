import type { NetworkToken } from '@sluice/protocol/networks/network-facts.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { inject } from 'vitest'
import { type AnvilClient, anvilClient, launchAnvil, rpcUrlOf } from '../../../src/local/anvil.ts'
import { type LocalContracts, localContracts } from '../../../src/local/deploy-contracts.ts'
import { fund, type Purse } from '../../../src/local/start-local.ts'
import { withFreePort } from '../../../src/platform/process/free-port.ts'
import { stopProcess } from '../../../src/platform/process/process.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'
import { placeToken } from './listed-token.ts'

export type Call = { to: Hex; data?: Hex; value?: bigint; gas?: bigint }

/** A signed transaction, which a reorg can move to another block. */
export type SentTransaction = { readonly hash: Hex; readonly raw: Hex }

/** A real chain for one test file, with factory, test tokens and Multicall3. */
export type TestChain = {
  readonly rpcUrl: string
  readonly chainId: 31337
  readonly client: AnvilClient
  readonly contracts: LocalContracts
  readonly accounts: readonly { readonly address: Wallet; readonly privateKey: Hex }[]
  /** @param secondsApart - Seconds between two blocks. Default: 0. */
  mine(blockCount?: number, secondsApart?: number): Promise<void>
  /** Sets the next block's time this many seconds after the newest block's. */
  passTime(seconds: number): Promise<void>
  /**
   * Replaces the newest `depth` blocks. Drops their transactions except `replay`, whose raw bytes are mined
   * again, `offset` blocks after the fork.
   */
  reorg(depth: number, replay?: readonly { raw: Hex; offset: number }[]): Promise<void>
  send(call: Call): Promise<SentTransaction>
  /** Gives a wallet 1,000 ETH and a large amount of each token, or the amounts in `purse`. Mines a block. */
  fund(wallet: Wallet, purse?: Purse): Promise<void>
  stop(): Promise<void>
}

/** Limits the duration of one call: a node with a thousand blocks takes seconds to mine a thousand more. */
const blocksPerCall = 100

const plenty: Purse = { ETH: 1_000, USDC: 1_000_000, USDT: 1_000_000, cbBTC: 100, cbXRP: 1_000_000 }

export type TestChainOptions = {
  readonly blockTime?: number | 'manual'
  readonly slotsInAnEpoch?: number
  /** Listed tokens that replace test tokens, at the address that tells their decimals. */
  readonly tokens?: Partial<Readonly<Record<keyof LocalContracts['tokens'], NetworkToken>>> | undefined
}

/**
 * Starts a chain. Without `blockTime`, it mines each transaction immediately; with a number, it mines a block
 * every so many seconds. With `manual`, it mines and its time advances only on request, so that a slow
 * machine does not affect the tests. `safe` is `slotsInAnEpoch` blocks behind the head (default 1),
 * `finalized` twice as far.
 */
export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const [folder, statePath] = await Promise.all([makeTemporaryFolder('chain'), findChainState()])
  const { port, identity } = await withFreePort(undefined, async (port) => {
    const anvil = {
      port,
      folder: folder.path,
      slotsInAnEpoch: options.slotsInAnEpoch ?? 1,
      hasKnownAccounts: true,
      ...(options.blockTime !== undefined && { blockTime: options.blockTime }),
    }
    return { port, identity: await launchAnvil(anvil, { statePath }) }
  })
  const client = anvilClient(rpcUrlOf(port))
  const accounts = knownAccounts()
  const stop = async () => {
    await stopProcess(identity, [{ signal: 'SIGKILL', waitMs: 5_000 }])
    await folder.remove()
  }
  try {
    const contracts = await placeTokens(client, options.tokens)
    if (options.blockTime === 'manual') await client.setBlockTimestampInterval({ interval: 0 })
    return {
      rpcUrl: rpcUrlOf(port),
      chainId: 31337,
      client,
      contracts,
      accounts,
      async mine(blockCount = 1, secondsApart = 0) {
        if (secondsApart > 0) await client.setBlockTimestampInterval({ interval: secondsApart })
        for (let left = blockCount; left > 0; left -= blocksPerCall)
          await client.mine({ blocks: Math.min(left, blocksPerCall) })
        if (secondsApart > 0) await client.setBlockTimestampInterval({ interval: 0 })
      },
      async passTime(seconds) {
        const { timestamp } = await client.getBlock()
        await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
      },
      async reorg(depth, replay = []) {
        const params = [depth, replay.map(({ raw, offset }) => [raw, offset])]
        await (client.request as (call: object) => Promise<unknown>)({ method: 'anvil_reorg', params })
      },
      send: senderFor(client, accounts[0]),
      fund: async (wallet, purse = plenty) => void (await fund(client, contracts, wallet, purse)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function placeTokens(client: AnvilClient, tokens: TestChainOptions['tokens'] = {}) {
  const contracts = localContracts()
  const placed: Partial<Record<keyof LocalContracts['tokens'], Wallet>> = {}
  for (const [symbol, token] of Object.entries(tokens)) {
    await placeToken(client, token)
    placed[symbol as keyof typeof placed] = parseWallet(token.address) as Wallet
  }
  return { ...contracts, tokens: { ...contracts.tokens, ...placed } }
}

/**
 * Returns the path of the initial state of all chains in the run, with contracts and tokens that were
 * deployed once.
 */
async function findChainState(): Promise<string> {
  const response = await fetch(`${inject('sharedPostgresDoor')}/chain`)
  const text = await response.text()
  if (!response.ok) throw new Error(`the contracts could not be deployed: ${text}`)
  return text
}

function senderFor(client: AnvilClient, first: TestChain['accounts'][number] | undefined): TestChain['send'] {
  if (!first) throw new Error('the chain has known accounts')
  const account = privateKeyToAccount(first.privateKey)
  return async ({ to, data = '0x', value = 0n, gas = 1_000_000n }) => {
    const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n }
    const signed = { chainId: 31337, type: 'eip1559', to, data, value, gas, nonce, ...fees } as const
    const raw = await account.signTransaction(signed)
    return { raw, hash: await client.sendRawTransaction({ serializedTransaction: raw }) }
  }
}

let known: TestChain['accounts'] | undefined

/** Derived once per worker, since the derivation takes as long as the chain's start. */
function knownAccounts(): TestChain['accounts'] {
  known ??= [0, 1, 2, 3, 4].map((addressIndex) => {
    const mnemonic = 'test test test test test test test test test test test junk'
    const account = mnemonicToAccount(mnemonic, { addressIndex })
    return {
      address: account.address as Wallet,
      privateKey: bytesToHex(account.getHdKey().privateKey ?? new Uint8Array()),
    }
  })
  return known
}
