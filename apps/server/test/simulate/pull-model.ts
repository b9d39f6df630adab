import { permit2Abi } from '@sluice/contracts/abi/Permit2.ts'
import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { domainSeparator, hashTypedData, parseAbi } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import { pullerAddress } from '../../src/payments/relaying/permit.ts'
import {
  permit2Address,
  permit2Domain,
  permit2Message,
  permit2Nonce,
  permit2Types,
} from '../../src/payments/relaying/permit2.ts'
import { decodeCall } from './decode-call.ts'
import { isSigned, localChainId, permit } from './signing-model.ts'
import { type Call, fail, Revert, type Run, takeUnits, tries, word } from './token-model.ts'

type Pull = { deposit: Wallet; token: Wallet; amount: bigint; deadline: bigint; owner: Wallet }

const bitmapOf = (owner: Wallet, index: bigint) => `permit2:${owner}:${index}`

/** Runs a call of the pull factory or of Permit2, which only the pull factory asks to move money. */
export function callPuller(run: Run, { to, data }: Call): Hex {
  if (to === permit2Address) return readPermit2(run, data)
  const call = decodeCall(pullFactoryAbi, data)
  switch (call.functionName) {
    case 'pullWithPermit': {
      const [deposit, token, amount, deadline, owner, ...parts] = call.args
      const pull = pullOf(deposit, token, amount, deadline, owner)
      if (run.now > deadline) fail(pullFactoryAbi, 'PullExpired', [deadline])
      const spender = pullerAddress(run.model.pullFactory, {
        ...{ depositAddress: pull.deposit, tokenAddress: pull.token },
        ...{ amount: amount as TokenUnits, validBefore: deadline + 1n },
      })
      tries(() => permit(run, pull.token, [pull.owner, spender, amount, deadline, ...parts]))
      return take(run, pull, spender, '0x7939f424')
    }
    case 'pullWithPermit2': {
      const [deposit, token, amount, deadline, owner, signature] = call.args
      return pullByPermit2(run, pullOf(deposit, token, amount, deadline, owner), signature)
    }
    default:
      assert(false, `the model of the pull factory has no ${call.functionName}`)
  }
}

function pullOf(deposit: Hex, token: Hex, amount: bigint, deadline: bigint, owner: Hex): Pull {
  return { deposit: deposit as Wallet, token: token as Wallet, amount, deadline, owner: owner as Wallet }
}

function readPermit2(run: Run, data: Hex): Hex {
  const call = decodeCall(permit2Abi, data)
  if (call.functionName === 'DOMAIN_SEPARATOR')
    return domainSeparator({ domain: permit2Domain(localChainId) })
  assert(call.functionName === 'nonceBitmap', `the model of Permit2 has no ${call.functionName}`)
  const [owner, index] = call.args
  return word(run.state.get(bitmapOf(owner as Wallet, index)))
}

function pullByPermit2(run: Run, pull: Pull, signature: Hex): Hex {
  const { deposit, token, amount, deadline, owner } = pull
  if (run.now > deadline) fail(permit2Errors, 'SignatureExpired', [deadline])
  const payment = { depositAddress: deposit, tokenAddress: token, amount: amount as TokenUnits }
  const nonce = permit2Nonce(payment)
  const key = bitmapOf(owner, nonce >> 8n)
  const bit = 1n << (nonce & 0xffn)
  if ((run.state.get(key) & bit) > 0n) fail(permit2Errors, 'InvalidNonce')
  const hash = hashTypedData({
    domain: permit2Domain(localChainId),
    types: permit2Types,
    primaryType: 'PermitWitnessTransferFrom',
    message: permit2Message(run.model.pullFactory, { ...payment, validBefore: deadline + 1n }),
  })
  if (!isSigned(run, hash, owner, signature)) fail(permit2Errors, 'InvalidSigner')
  run.state.set(key, run.state.get(key) | bit)
  return take(run, pull, permit2Address, transferFailed)
}

/** Moves units out of an allowance. */
function take(run: Run, { token, owner, deposit: to, amount }: Pull, spender: Wallet, failure: Hex): Hex {
  try {
    takeUnits(run, { token, owner, spender, to, amount })
    return '0x'
  } catch (error) {
    throw error instanceof Revert ? new Revert(failure) : error
  }
}

const permit2Errors = parseAbi([
  'error SignatureExpired(uint256 signatureDeadline)',
  'error InvalidNonce()',
  'error InvalidSigner()',
])

/** `Error("TRANSFER_FROM_FAILED")`. */
const transferFailed: Hex = `0x08c379a0${'20'.padStart(64, '0')}${'14'.padStart(64, '0')}${Buffer.from('TRANSFER_FROM_FAILED').toString('hex').padEnd(64, '0')}`
