import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import {
  decodeAbiParameters,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroHash,
} from 'viem'
import type { CallOutcome, Chain } from '../../chain/chain.ts'
import { validateFactory } from '../../chain/validate-factory.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { TokenDomain } from './authorization.ts'
import { permitAbi, permitTypehash } from './permit.ts'
import { hasPermit2 } from './permit2.ts'
import { authorizationAbi } from './relay-call.ts'

const domainAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
])

/** A token without signature support may be upgraded, so the result expires. */
const askAgainMs = 600_000
const longestText = 64
const longestResponse = 1_024
const usualVersions = ['1', '2']

/** Method of moving a token with a signature: EIP-3009, else EIP-2612, else Permit2. */
export type SigningWay =
  | { readonly kind: 'authorization' | 'permit'; readonly domain: TokenDomain }
  | { readonly kind: 'permit2' }

/**
 * Finds the signing method and the EIP-712 domain of tokens.
 *
 * A domain is valid only if its hash equals the token's `DOMAIN_SEPARATOR`.
 */
export class SigningTokens {
  readonly #needs: { readonly chain: Chain; readonly clock: Clock }
  readonly #known = new Map<Wallet, { readonly way: SigningWay | undefined; readonly askAgainAt: UnixMs }>()
  readonly #takesPermits: boolean

  constructor(needs: { chain: Chain; clock: Clock }, takesPermits: boolean) {
    this.#needs = needs
    this.#takesPermits = takesPermits
  }

  async find(token: Token): Promise<TokenDomain | undefined> {
    const way = await this.findWay(token)
    return way?.kind === 'authorization' ? way.domain : undefined
  }

  async findWay(token: Token): Promise<SigningWay | undefined> {
    if (token.address === nativeAddress) return undefined
    const { chain, clock } = this.#needs
    const known = this.#known.get(token.address)
    const isOwn = known?.way !== undefined && known.way.kind !== 'permit2'
    if (known && (isOwn || known.askAgainAt > clock.now())) return known.way
    const found = await readWay(chain, token)
    const way = found?.kind === 'authorization' ? found : await this.#findPulled(found)
    this.#known.set(token.address, { way, askAgainAt: addMs(clock.now(), askAgainMs) })
    return way
  }

  async #findPulled(found: SigningWay | undefined): Promise<SigningWay | undefined> {
    const { chain } = this.#needs
    if (!this.#takesPermits || !(await canPull(chain))) return undefined
    return found ?? ((await hasPermit2(chain)) ? { kind: 'permit2' } : undefined)
  }
}

async function canPull(chain: Chain): Promise<boolean> {
  return chain.pullFactory !== undefined && (await validateFactory(chain, 'pullFactory')).kind === 'stands'
}

async function readWay(chain: Chain, token: Token): Promise<SigningWay | undefined> {
  const state = { abi: authorizationAbi, functionName: 'authorizationState' } as const
  const nonces = { abi: permitAbi, functionName: 'nonces' } as const
  const ask = (functionName: (typeof domainAbi)[number]['name']) =>
    encodeFunctionData({ abi: domainAbi, functionName })
  const responses = await chain.callMany(
    [
      encodeFunctionData({ ...state, args: [token.address, zeroHash] }),
      encodeFunctionData({ ...nonces, args: [token.address] }),
      ask('PERMIT_TYPEHASH'),
      ask('DOMAIN_SEPARATOR'),
      ask('name'),
      ask('version'),
      ask('eip712Domain'),
    ].map((data) => ({ to: token.address, data })),
  )
  const [used, nonce, typehash, separator, name, version, reported] = responses
  const isOfType = !typehash?.ok || typehash.data === permitTypehash
  const kind =
    used?.ok && /^0x0{63}[01]$/.test(used.data)
      ? 'authorization'
      : nonce?.ok && nonce.data.length === 66 && isOfType
        ? 'permit'
        : undefined
  if (!kind || !separator?.ok) return undefined
  const ownName = readText(name)
  const named = [
    token.signing,
    { name: ownName, version: readText(version) },
    readDomain(reported),
    ...usualVersions.map((each) => ({ name: ownName, version: each })),
  ]
  for (const each of named) {
    if (each?.name === undefined || each.version === undefined) continue
    const domain: TokenDomain = {
      name: each.name,
      version: each.version,
      chainId: chain.id,
      verifyingContract: token.address,
    }
    if (domainSeparator({ domain }) === separator.data) return { kind, domain }
  }
  return undefined
}

function readText(response: CallOutcome | undefined): string | undefined {
  if (!response?.ok || response.data.length > 2 + 2 * 160) return undefined
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], response.data as Hex)
    return text.length <= longestText ? text : undefined
  } catch {
    return undefined
  }
}

function readDomain(response: CallOutcome | undefined): { name: string; version: string } | undefined {
  if (!response?.ok || response.data.length > 2 + 2 * longestResponse) return undefined
  try {
    const [, name, version] = decodeFunctionResult({
      abi: domainAbi,
      functionName: 'eip712Domain',
      data: response.data,
    })
    return name.length <= longestText && version.length <= longestText ? { name, version } : undefined
  } catch {
    return undefined
  }
}
