import { resolve } from 'node:path'
import { describeToken } from '@sluice/protocol/networks/describe-token.ts'
import { localNetwork } from '@sluice/protocol/networks/list.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex, parseAbi } from 'viem'
import type { Deployment } from '../chain/networks.ts'
import { assert } from '../kernel/assert.ts'
import { unlessAborted } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { type Timings, usualTimings } from '../platform/jobs/timings.ts'
import type { Log } from '../platform/log.ts'
import { startEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts'
import { type InstanceLock, lockDirectory } from '../platform/process/instance-lock.ts'
import type { Config } from '../platform/settings/config.ts'
import type { AnvilClient } from './anvil.ts'
import { actAsDeployer, deployContracts, type LocalContracts } from './deploy-contracts.ts'
import { completeSettings, type LocalRole, localWallet } from './local-settings.ts'
import { type LocalChain, startChain } from './start-chain.ts'

export type Local = {
  readonly config: Awaited<ReturnType<typeof completeSettings>>
  readonly databaseUrl: string
  /** First RPC endpoint of the chain. */
  readonly rpcUrl: string
  /** Contracts of the local chain. Absent if RPC_URLS is set. */
  readonly contracts: LocalContracts | undefined
  stop(): Promise<void>
}

/**
 * Starts the missing infrastructure: the embedded database if DATABASE_URL is not set, and the local chain if
 * RPC_URLS is not set. Both store their data in DATA_DIR. Never used in production.
 *
 * @param options - `isThrowaway` disables the database's durable writes, for tests. `stop` aborts the start:
 * on rejection, nothing that it started is running.
 * @throws {DirectoryInUse} if another service uses DATA_DIR.
 */
export async function startLocal(
  given: Config,
  log: Log,
  options: { isThrowaway?: boolean; stop?: AbortSignal | undefined; timings?: Timings } = {},
): Promise<Local> {
  const { stop: stopping, timings = usualTimings } = options
  assert(!given.isProduction, 'production has all of its settings')
  const config = { ...given, dataDir: resolve(given.dataDir) }
  const started: { stop(): Promise<void> }[] = []
  const isLocalChain = config.rpcUrls.length === 0
  let lock: InstanceLock | undefined
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await Promise.allSettled(started.map((each) => each.stop()))
    lock?.release()
  }
  const keep = <T extends { stop(): Promise<void> }>(each: T): T => {
    started.push(each)
    return each
  }
  lock = await lockDirectory(config.dataDir)
  try {
    const starting = {
      database: config.databaseUrl
        ? undefined
        : startEmbeddedPostgres({ log }, { ...options, dataDir: config.dataDir }).then(keep),
      chain: isLocalChain
        ? startChain({ log, timings }, `${config.dataDir}/chain`, stopping).then(keep)
        : undefined,
    }
    const [database, chain] = await bothOrNeither(starting.database, starting.chain)
    stopping?.throwIfAborted()
    const databaseUrl = config.databaseUrl ?? database?.url
    assert(databaseUrl, 'without DATABASE_URL the embedded database was started')
    const completed = await completeSettings({ random: systemRandom }, config, {
      databaseUrl,
      rpcUrls: chain ? [chain.rpcUrl] : config.rpcUrls,
      isLocalChain,
    })
    const contracts = chain && (await unlessAborted(prepareChain(chain, completed), stopping))
    const rpcUrl = completed.rpcUrls[0]
    assert(rpcUrl, 'without an endpoint the local chain was started')
    return { config: completed, databaseUrl, rpcUrl, contracts, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits for both even if one fails, so that the other can be stopped. */
async function bothOrNeither<A, B>(a: A | Promise<A>, b: B | Promise<B>): Promise<[A, B]> {
  const results = await Promise.allSettled([a, b])
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return [await a, await b]
}

async function prepareChain(chain: LocalChain, config: Local['config']): Promise<LocalContracts> {
  const contracts = await deployContracts(chain.client)
  const hasChanged = await fundDemoAccounts(chain.client, contracts, config.masterKey)
  if (hasChanged) await chain.save()
  return contracts
}

/** Amounts in whole tokens. */
export type Purse = Readonly<Partial<Record<TokenSymbol, number>>>

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

/**
 * Tops up a wallet to `purse` if it has less than half of that. Safe to repeat.
 *
 * @returns whether a balance changed.
 */
export async function fund(
  client: AnvilClient,
  contracts: LocalContracts,
  wallet: Wallet,
  purse: Purse,
): Promise<boolean> {
  const deployed: Deployment['tokens'] = contracts.tokens
  let hasChanged = false
  const mints: { to: Hex; data: Hex }[] = []
  for (const kind of tokenKinds) {
    const { symbol } = kind
    const token = symbol === localNetwork.nativeToken ? nativeAddress : deployed[symbol]
    if (!token) continue
    const wanted = BigInt(purse[symbol] ?? 0) * 10n ** BigInt(describeToken(kind, token).decimals)
    if (wanted === 0n) continue
    if (token === nativeAddress) {
      if ((await client.getBalance({ address: wallet })) >= wanted / 2n) continue
      await client.setBalance({ address: wallet, value: wanted })
      hasChanged = true
      continue
    }
    const held = await client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [wallet],
    })
    if (held >= wanted / 2n) continue
    const args = [wallet, wanted - held] as const
    mints.push({ to: token, data: encodeFunctionData({ abi: mintAbi, functionName: 'mint', args }) })
  }
  await actAsDeployer(client, mints)
  return hasChanged || mints.length > 0
}

const purses: Partial<Readonly<Record<LocalRole, Purse>>> = {
  merchant: { ETH: 10 },
  buyer: Object.fromEntries(tokenKinds.map(({ symbol, local }) => [symbol, local.purse])),
  deployer: { ETH: 1_000 },
  keeper: { ETH: 1_000 },
  treasury: { ETH: 1_000, USDC: 100_000_000 },
  relayer: { ETH: 100 },
}

export async function fundDemoAccounts(
  client: AnvilClient,
  contracts: LocalContracts,
  masterKey: string,
): Promise<boolean> {
  let hasChanged = false
  for (const [role, purse] of Object.entries(purses)) {
    const { address } = localWallet(masterKey, role as LocalRole)
    if (await fund(client, contracts, address, purse)) hasChanged = true
  }
  return hasChanged
}
