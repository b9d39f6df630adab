import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Abi, encodeAbiParameters, encodeErrorResult, encodeEventTopics, maxUint256 } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import type { Recipient } from '../../src/split/split.ts'
import { allowanceOf, balanceOf, type ChainState, codeAt, isBlockedBy } from './chain-state.ts'
import { decodeCall } from './decode-call.ts'

export type Call = {
  readonly from: Wallet
  readonly to: Wallet
  readonly value: bigint
  readonly data: Hex
}

export type Event = { readonly address: Wallet; readonly topics: readonly Hex[]; readonly data: Hex }

/** Contracts of the model. Their addresses are those of the real ones. */
export type ContractModel = {
  readonly factory: Wallet
  readonly pullFactory: Wallet
  /** By symbol. `USDT` returns nothing, can block an account, and wants an allowance of zero before another one. */
  readonly tokens: ReadonlyMap<Wallet, string>
  /** Contracts that revert when they receive the native token. */
  readonly refusing: ReadonlySet<Wallet>
  /** Recipients of every split ever created. The state says where a split stands: a reorg removes it. */
  readonly splits: Map<Wallet, readonly Recipient[]>
  /** Signer of every signature that exists, by hash and signature. Recovering signers is slow. */
  readonly signatures: Map<string, Wallet>
}

/** A running call. */
export type Run = {
  readonly model: ContractModel
  readonly state: ChainState
  readonly events: Event[]
  /** Time of the block in Unix seconds. */
  readonly now: bigint
}

export class Revert extends Error {
  readonly data: Hex

  constructor(data: Hex) {
    super('execution reverted')
    this.data = data
  }
}

export type CallResult = {
  readonly isSuccess: boolean
  readonly data: Hex
  readonly events: readonly Event[]
}

export function moveNative({ model, state }: Run, from: Wallet, to: Wallet, amount: bigint): void {
  if (state.get(balanceOf(nativeAddress, from)) < amount || model.refusing.has(to)) throw new Revert('0x')
  state.add(balanceOf(nativeAddress, from), -amount)
  state.add(balanceOf(nativeAddress, to), amount)
}

/** Moves native units without call data. Reverts before it has changed anything. */
function sendNative(run: Run, from: Wallet, to: Wallet, amount: bigint): void {
  moveNative(run, from, to, amount)
  if (isSplit(run, to)) emit(run, to, merchantSplitAbi, 'PaymentReceived', { from, amount })
}

/** Whether a split stands at the address in this state. */
export function isSplit({ model, state }: Run, address: Wallet): boolean {
  return model.splits.has(address) && state.get(codeAt(address)) > 0n
}

/** Moves units of a listed token or of the native one. Reverts before it has changed anything. */
export function moveUnits(run: Run, token: Wallet, from: Wallet, to: Wallet, amount: bigint): void {
  if (token === nativeAddress) {
    sendNative(run, from, to, amount)
    return
  }
  const { model, state } = run
  const isUSDT = model.tokens.get(token) === 'USDT'
  for (const account of [from, to])
    if (state.get(isBlockedBy(token, account)) > 0n) fail(testUSDTAbi, 'Blocked', [account])
  if (state.get(balanceOf(token, from)) < amount) throw isUSDT ? underflow : insufficientBalance
  state.add(balanceOf(token, from), -amount)
  state.add(balanceOf(token, to), amount)
  emit(run, token, testUSDCAbi, 'Transfer', { from, to, amount })
}

const insufficientBalance = new Revert('0xf4d678b8')
const insufficientAllowance = new Revert('0x13be252b')
const underflow = new Revert(`0x4e487b71${'11'.padStart(64, '0')}`)

const tokenAbi = [...testUSDCAbi, ...testUSDTAbi] as const

export function callToken(run: Run, { from, to: token, data }: Call): Hex {
  const { state } = run
  const isUSDT = run.model.tokens.get(token) === 'USDT'
  if (data === '0x') throw new Revert('0x')
  const call = decodeCall(tokenAbi, data)
  const done = isUSDT ? '0x' : word(1n)
  switch (call.functionName) {
    case 'balanceOf':
      return word(state.get(balanceOf(token, call.args[0])))
    case 'allowance':
      return word(state.get(allowanceOf(token, ...call.args)))
    case 'mint':
      state.add(balanceOf(token, call.args[0]), call.args[1])
      emit(run, token, tokenAbi, 'Transfer', { from: nativeAddress, to: call.args[0], amount: call.args[1] })
      return '0x'
    case 'setBlocked':
      state.set(isBlockedBy(token, call.args[0]), call.args[1] ? 1n : 0n)
      return '0x'
    case 'transfer':
      moveUnits(run, token, from, call.args[0] as Wallet, call.args[1])
      return done
    case 'transferFrom': {
      const [owner, to, amount] = call.args
      takeUnits(run, { token, owner: owner as Wallet, spender: from, to: to as Wallet, amount })
      return done
    }
    case 'approve': {
      const [spender, amount] = call.args
      const key = allowanceOf(token, from, spender)
      if (isUSDT && amount > 0n && state.get(key) > 0n) fail(testUSDTAbi, 'AllowanceNotZero')
      state.set(key, amount)
      emit(run, token, testUSDCAbi, 'Approval', { owner: from, spender, amount })
      return done
    }
    default:
      assert(false, `the model of a token has no ${call.functionName}`)
  }
}

export function takeUnits(
  run: Run,
  take: { token: Wallet; owner: Wallet; spender: Wallet; to: Wallet; amount: bigint },
): void {
  const key = allowanceOf(take.token, take.owner, take.spender)
  const allowed = run.state.get(key)
  const isUSDT = run.model.tokens.get(take.token) === 'USDT'
  if (allowed < take.amount) throw isUSDT ? underflow : insufficientAllowance
  if (allowed !== maxUint256) run.state.set(key, allowed - take.amount)
  moveUnits(run, take.token, take.owner, take.to, take.amount)
}

export function tries(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (error instanceof Revert) return false
    throw error
  }
}

export function emit(run: Run, address: Wallet, abi: Abi, eventName: string, args: object): void {
  const event = abi.find((item) => item.type === 'event' && item.name === eventName)
  assert(event?.type === 'event', `there is an event ${eventName}`)
  const inData = event.inputs.filter(({ indexed }) => !indexed)
  const values = inData.map(({ name }) => (args as Record<string, unknown>)[String(name)])
  const topics = encodeEventTopics({ abi, eventName, args } as never) as Hex[]
  run.events.push({ address, topics, data: encodeAbiParameters(inData, values) })
}

export function fail(abi: Abi, errorName: string, args: readonly unknown[] = []): never {
  throw new Revert(encodeErrorResult({ abi, errorName, args } as never))
}

/** Encodes a number or an address as a call returns it. */
export function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
