import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionResult, multicall3Abi } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { multicall3 } from '../../src/chain/read-amounts.ts'
import { assert } from '../../src/kernel/assert.ts'
import { depositAddress } from '../../src/payments/attempts/references.ts'
import { permit2Address } from '../../src/payments/relaying/permit2.ts'
import { predictSplit } from '../../src/split/split-address.ts'
import { multicallWithValue } from '../support/chain/calls.ts'
import { balanceOf, type ChainState, codeAt } from './chain-state.ts'
import { decodeCall } from './decode-call.ts'
import { callPuller } from './pull-model.ts'
import { callSigning, isSigningCall } from './signing-model.ts'
import { callSplit } from './split-model.ts'
import {
  type Call,
  type CallResult,
  type ContractModel,
  callToken,
  emit,
  fail,
  isSplit,
  moveNative,
  moveUnits,
  Revert,
  type Run,
  tries,
  word,
} from './token-model.ts'

const multicallAbi = [...multicall3Abi, ...multicallWithValue] as const

/** Runs a call and applies its changes to `state`, unless it reverts. Gas has no limit. */
export function runCall(model: ContractModel, state: ChainState, call: Call, now: bigint): CallResult {
  const run: Run = { model, state: state.fork(), events: [], now }
  try {
    const data = enter(run, call)
    run.state.commit()
    return { isSuccess: true, data, events: run.events }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    return { isSuccess: false, data: error.data, events: [] }
  }
}

function enter(run: Run, call: Call): Hex {
  const { model } = run
  moveNative(run, call.from, call.to, call.value)
  if (isSplit(run, call.to)) return callSplit(run, call)
  if (call.to === multicall3) return callMulticall(run, call)
  const isPuller = call.to === model.pullFactory || call.to === permit2Address
  const isContract = isPuller || call.to === model.factory || model.tokens.has(call.to)
  if (isContract && call.value > 0n) throw new Revert('0x')
  if (call.to === model.factory) return callFactory(run, call)
  if (isPuller) return callPuller(run, call)
  if (isSigningCall(call.data) && isContract) return callSigning(run, call.to, call.data)
  return isContract ? callToken(run, call) : '0x'
}

function callFactory(run: Run, { data }: Call): Hex {
  const call = decodeCall(splitFactoryAbi, data)
  switch (call.functionName) {
    case 'createSplit':
      return word(BigInt(createSplit(run, ...call.args)))
    case 'sweep': {
      const [split, ref, token] = call.args
      const amount = sweep(run, { split, ref, token })
      if (amount === undefined) fail(splitFactoryAbi, 'SweepFailed', [split, ref, token])
      return word(amount)
    }
    case 'sweepMany':
      for (const each of call.args[0]) sweep(run, each)
      return '0x'
    default:
      assert(false, `the model of the factory has no ${call.functionName}`)
  }
}

function createSplit(run: Run, accounts: readonly Hex[], shares: readonly number[], salt: Hex): Wallet {
  const { model, state } = run
  const recipients = accounts.map((address, i) => ({
    address: address as Wallet,
    sharesBps: Number(shares[i]) as Bps,
  }))
  const total = recipients.reduce((sum, { sharesBps }) => sum + sharesBps, 0)
  assert(total === 10_000 && new Set(accounts).size === accounts.length, 'the model has only valid splits')
  const split = predictSplit(model.factory, recipients, salt)
  if (state.get(codeAt(split)) > 0n) return split
  model.splits.set(split, recipients)
  state.set(codeAt(split), 1n)
  emit(run, model.factory, splitFactoryAbi, 'SplitCreated', { split, salt })
  return split
}

/** Returns the moved amount, or `undefined` if the token refuses. */
function sweep(run: Run, { split, ref, token }: { split: Hex; ref: Hex; token: Hex }): bigint | undefined {
  const { model, state } = run
  const deposit = depositAddress(model.factory, split as Wallet, ref)
  if (token !== nativeAddress && !model.tokens.has(token as Wallet)) return undefined
  const amount = state.get(balanceOf(token as Wallet, deposit))
  if (amount === 0n) return 0n
  state.set(codeAt(deposit), 1n)
  if (!tries(() => moveUnits(run, token as Wallet, deposit, split as Wallet, amount))) return undefined
  emit(run, model.factory, splitFactoryAbi, 'DepositSwept', { ref, split, token, deposit, amount })
  return amount
}

function callMulticall(run: Run, { data }: Call): Hex {
  const call = decodeCall(multicallAbi, data)
  if (call.functionName === 'aggregate3Value') {
    for (const { target, value, callData } of call.args[0]) {
      const inner = { from: multicall3, to: target as Wallet, value, data: callData }
      const { isSuccess, events } = runCall(run.model, run.state, inner, run.now)
      if (!isSuccess) throw new Revert('0x')
      run.events.push(...events)
    }
    return '0x'
  }
  if (call.functionName === 'getEthBalance')
    return word(run.state.get(balanceOf(nativeAddress, call.args[0])))
  assert(call.functionName === 'aggregate3', `the model of Multicall3 has no ${call.functionName}`)
  const result = call.args[0].map(({ target, callData }) => {
    const inner = { from: multicall3, to: target as Wallet, value: 0n, data: callData }
    const { isSuccess, data, events } = runCall(run.model, run.state, inner, run.now)
    run.events.push(...events)
    return { success: isSuccess, returnData: data }
  })
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
}
