import { findNetwork, isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { networkOf } from '@sluice/server/src/app/network.ts'
import { lowGasWei } from '@sluice/server/src/chain/transactions/gas-accounts.ts'
import { localContracts } from '@sluice/server/src/local/deploy-contracts.ts'
import type { Config } from '@sluice/server/src/platform/settings/config.ts'
import { privateKeyToAddress } from 'viem/accounts'
import { broken, doubtful, type Finding, fine } from './finding.ts'

const timeoutMs = 8_000

export async function checkChain(config: Config, urls: readonly string[]): Promise<Finding[]> {
  const endpoints = await Promise.all(urls.map((url) => checkEndpoint(config, url)))
  const findings = endpoints.flat()
  const [first] = urls
  if (!first || findings.some(({ result }) => result === 'fail')) return findings
  if (config.isProduction && urls.length === 1) {
    const advice = 'Add a second endpoint from another provider to RPC_URLS, so that two must agree.'
    findings.push(doubtful('chain', 'a single endpoint is trusted', advice))
  }
  findings.push(await checkContracts(config, first), ...(await checkWallets(config, first)))
  return findings
}

async function checkEndpoint(config: Config, url: string): Promise<Finding[]> {
  // URL paths often contain keys, so only the host is shown.
  const name = `chain ${new URL(url).host}`
  try {
    const chainId = Number(await ask(url, 'eth_chainId', []))
    if (chainId !== config.chainId) {
      const text = `serves chain ${chainId}, but CHAIN_ID is ${config.chainId}`
      return [broken(name, text, 'Correct RPC_URLS or CHAIN_ID: both must name the same chain.')]
    }
    const [latest, final] = await Promise.all(['latest', 'finalized'].map((tag) => readBlock(url, tag)))
    if (!latest) return [broken(name, 'returns no block', 'Use another endpoint.')]
    if (!final)
      return [
        broken(name, 'does not report finalized blocks', 'Use an endpoint of a full node of the chain.'),
      ]
    const ageMs = Date.now() - Number(latest.timestamp) * 1000
    const text = `chain ${chainId}, block ${Number(latest.number)}`
    if (ageMs > (findNetwork(chainId)?.longestBlockGapMs ?? Number.POSITIVE_INFINITY)) {
      const old = `${text} is ${Math.round(ageMs / 1000)} s old`
      return [
        broken(
          name,
          old,
          'The node is behind, the chain has stopped, or this clock is ahead: check all three.',
        ),
      ]
    }
    return [fine(name, text)]
  } catch (error) {
    const { message } = error as Error
    return [
      broken(name, `is unavailable: ${message}`, 'Is the URL in RPC_URLS correct and reachable from here?'),
    ]
  }
}

async function checkContracts(config: Config, url: string): Promise<Finding> {
  const network = networkOf(config.chainId, isLocalNetwork(config.chainId) ? localContracts() : undefined)
  const wanted = [
    { what: 'the split factory', address: network.factory },
    ...network.tokens.map(({ symbol, address }) => ({ what: symbol, address })),
  ].filter(({ address }) => address !== nativeAddress)
  const codes = await Promise.all(wanted.map(({ address }) => ask(url, 'eth_getCode', [address, 'latest'])))
  const missing = wanted.filter((_, i) => codes[i] === '0x')
  if (missing.length === 0) return fine('contracts', `${wanted.length} are deployed where they should be`)
  const list = missing.map(({ what, address }) => `${what} (${address})`).join(', ')
  return broken(
    'contracts',
    `nothing is deployed at ${list}`,
    'Deploy the factory with `npm run cli -- contracts deploy`; check the tokens against the network.',
  )
}

async function checkWallets(config: Config, url: string): Promise<Finding[]> {
  const wallets = [
    ['DEPLOYER_KEY', config.deployerKey],
    ['KEEPER_KEY', config.keeperKey],
    ['RELAYER_KEY', config.relayerKey],
  ] as const
  return Promise.all(
    wallets.flatMap(([name, key]) => {
      if (!key) return []
      const address = privateKeyToAddress(key)
      return [
        ask(url, 'eth_getBalance', [address, 'latest']).then((balance) =>
          BigInt(balance as string) >= lowGasWei
            ? fine(name, `${address} can pay for gas`)
            : doubtful(
                name,
                `${address} is almost out of gas money`,
                `Send it some of the chain's native token.`,
              ),
        ),
      ]
    }),
  )
}

async function readBlock(
  url: string,
  tag: string,
): Promise<{ number: string; timestamp: string } | undefined> {
  const block = await ask(url, 'eth_getBlockByNumber', [tag, false]).catch(() => null)
  return (block as { number: string; timestamp: string } | null) ?? undefined
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const body = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (body.error) throw new Error(body.error.message)
  return body.result
}
