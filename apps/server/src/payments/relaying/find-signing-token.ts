import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeAbiParameters, domainSeparator, encodeFunctionData, type Hex, parseAbi, zeroHash } from 'viem'
import type { CallOutcome, Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { TokenDomain } from './authorization.ts'
import { authorizationAbi } from './relay-call.ts'

const domainAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])

/** A token that has no signatures may be replaced by one that has: it is asked again. */
const askAgainMs = 600_000
const longestText = 64

/**
 * Which tokens move by their payers' signatures (EIP-3009), and under which EIP-712 domain. A domain counts only
 * where its hash is the one the token itself answers; that is asked once.
 */
export class SigningTokens {
  readonly #needs: { readonly chain: Chain; readonly clock: Clock }
  readonly #known = new Map<
    Wallet,
    { readonly domain: TokenDomain | undefined; readonly askAgainAt: UnixMs }
  >()

  constructor(needs: { chain: Chain; clock: Clock }) {
    this.#needs = needs
  }

  /**
   * The domain of a listed token, or `undefined` where it does not move by signature.
   *
   * @throws {ChainUnavailable}
   */
  async find(token: Token): Promise<TokenDomain | undefined> {
    if (token.address === nativeAddress) return undefined
    const known = this.#known.get(token.address)
    if (known && (known.domain || known.askAgainAt > this.#needs.clock.now())) return known.domain
    const domain = await readDomain(this.#needs.chain, token)
    this.#known.set(token.address, { domain, askAgainAt: addMs(this.#needs.clock.now(), askAgainMs) })
    return domain
  }
}

async function readDomain(chain: Chain, token: Token): Promise<TokenDomain | undefined> {
  const state = { abi: authorizationAbi, functionName: 'authorizationState' } as const
  const answers = await chain.callMany(
    [
      encodeFunctionData({ ...state, args: [token.address, zeroHash] }),
      encodeFunctionData({ abi: domainAbi, functionName: 'DOMAIN_SEPARATOR' }),
      encodeFunctionData({ abi: domainAbi, functionName: 'name' }),
      encodeFunctionData({ abi: domainAbi, functionName: 'version' }),
    ].map((data) => ({ to: token.address, data })),
  )
  const [used, separator, name, version] = answers
  if (!used?.ok || !/^0x0{63}[01]$/.test(used.data) || !separator?.ok) return undefined
  const told = { name: readText(name), version: readText(version) }
  for (const named of [token.signing, told]) {
    if (named?.name === undefined || named.version === undefined) continue
    const domain: TokenDomain = {
      name: named.name,
      version: named.version,
      chainId: chain.id,
      verifyingContract: token.address,
    }
    if (domainSeparator({ domain }) === separator.data) return domain
  }
  return undefined
}

function readText(answer: CallOutcome | undefined): string | undefined {
  if (!answer?.ok || answer.data.length > 2 + 2 * 160) return undefined
  try {
    const [text] = decodeAbiParameters([{ type: 'string' }], answer.data as Hex)
    return text.length <= longestText ? text : undefined
  } catch {
    return undefined
  }
}
